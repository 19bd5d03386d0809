import { afterAll, beforeAll, expect, it } from 'vitest';
import { get, graphql } from '../support/api-client.ts';
import { type OauthService, oauthService } from '../support/oauth-service.ts';
import { askAs, type PageAnswer, signedIn, type Visitor, visitor } from '../support/visitor.ts';

const PASSWORD = 'a password of their own';

let service: OauthService;
let owner: Visitor;

beforeAll(async () => {
  service = await oauthService({ SMTP_URL: 'smtp://127.0.0.1:9', SMTP_FROM: 'books@example.com' });
  owner = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

/** The link that a page shows only once. */
function linkOf({ html }: PageAnswer): string {
  return /<code tabindex="0"[^>]*>(https?:[^<]+)</.exec(html)![1]!;
}

/** Without scripts, a person pastes the link into the page that it leads to. */
async function open(person: Visitor, link: string): Promise<PageAnswer> {
  const { pathname, search, hash } = new URL(link);
  expect([search, hash]).toEqual(['', expect.stringMatching(/^#[\w-]{43}$/)]);
  return person.submit(pathname, `${pathname}/open`, { token: link });
}

async function invited(email: string, role: string, by = owner): Promise<Visitor> {
  const link = linkOf(await by.submit('/people/invite', '/people/invite', { email, role }));
  const newcomer = visitor(service.url);
  const page = await open(newcomer, link);
  expect(
    (await newcomer.answer(page, '/sign-in/invitation', { password: PASSWORD, repeated: PASSWORD })).location,
  ).toBe('/sign-in?done=account-made&again=yes');
  return signedIn(service.url, { owner_email: email, owner_password: PASSWORD });
}

async function personPath(email: string): Promise<string> {
  const { html } = await owner.get('/people');
  return new RegExp(`href="(/people/[0-9a-f-]{36})">${email}<`).exec(html)![1]!;
}

it('an owner invites somebody, who chooses a password, once', async () => {
  const made = await owner.submit('/people/invite', '/people/invite', { email: 'Ada@Example.com', role: 'member' });
  expect(made.html).toContain('anyone who opens it can set the password');
  expect((await owner.get('/people')).html).toContain('Revoke the invitation for ada@example.com');
  const newcomer = visitor(service.url);
  const page = await open(newcomer, linkOf(made));
  expect(page.html).toContain(
    'You are invited to <strong>Default</strong> as member. Choose a password for <strong>ada@example.com</strong>.',
  );
  const answer = (fields: Record<string, string>) =>
    newcomer.answer(page, '/sign-in/invitation', { password: PASSWORD, repeated: PASSWORD, ...fields });
  expect((await answer({ repeated: 'another one' })).html).toContain('The passwords do not match');
  const guessable = await answer({ password: '12345678', repeated: '12345678' });
  expect([guessable.status, guessable.html.includes('too common')]).toEqual([400, true]);
  expect((await answer({})).location).toBe('/sign-in?done=account-made&again=yes');
  const dead = await open(newcomer, linkOf(made));
  expect([dead.status, dead.html.includes('This link does not work')]).toEqual([404, true]);
  expect((await answer({})).status).toBe(404);
  await signedIn(service.url, { owner_email: 'ada@example.com', owner_password: PASSWORD });
});

it('an invitation is revoked', async () => {
  const link = linkOf(
    await owner.submit('/people/invite', '/people/invite', { email: 'late@example.com', role: 'member' }),
  );
  const people = await owner.get('/people');
  const [, id = ''] = /value="([0-9a-f-]{36})" aria-label="Revoke the invitation for late@example.com"/.exec(
    people.html,
  )!;
  expect((await owner.answer(people, '/people/revoke-invitation', { id })).location).toBe(
    '/people?done=invitation-revoked',
  );
  expect((await open(visitor(service.url), link)).status).toBe(404);
});

it('an owner changes a role, signs out, disables, enables and removes a person', async () => {
  const person = await invited('bob@example.com', 'member');
  const created = await graphql(
    service.url,
    service.firstRun.operator_token,
    'mutation ($id: ID!) { apiKeyCreate(input: { name: "Bob", environment: "live", preset: "read", accountUserId: $id }) { createdApiKey { secret } userErrors { message } } }',
    { id: (await personPath('bob@example.com')).split('/').at(-1) },
    service.firstRun.organization_id,
  );
  const key = created.body.data.apiKeyCreate.createdApiKey.secret as string;
  const path = await personPath('bob@example.com');
  const act = async (name: string, fields: Record<string, string> = {}) =>
    (await owner.submit(path, `${path}/${name}`, fields)).location;

  expect((await person.get('/people')).status).toBe(403);
  expect((await person.get('/')).html).not.toContain('href="/people"');
  expect(await act('role', { role: 'admin' })).toBe(`${path}?done=role-changed`);
  expect((await person.get('/people')).status).toBe(200);

  const [, session = ''] = /name="sessionId" value="([0-9a-f-]{36})"/.exec((await owner.get(path)).html)!;
  expect(await act('end-session', { sessionId: session })).toBe(`${path}?done=session-ended`);
  expect((await person.get('/')).location).toBe('/sign-in');

  const again = await signedIn(service.url, { owner_email: 'bob@example.com', owner_password: PASSWORD });
  expect((await get(service.url, '/ping', key)).status).toBe(200);
  expect(await act('disable')).toBe(`${path}?done=account-disabled`);
  expect([(await again.get('/')).location, (await get(service.url, '/ping', key)).status]).toEqual(['/sign-in', 401]);
  expect((await owner.get(path)).html).toContain('<span class="badge bad">disabled</span>');
  expect(
    (await visitor(service.url).submit('/sign-in', '/sign-in', { email: 'bob@example.com', password: PASSWORD }))
      .status,
  ).toBe(401);
  expect(await act('enable')).toBe(`${path}?done=account-enabled`);
  const last = await signedIn(service.url, { owner_email: 'bob@example.com', owner_password: PASSWORD });
  const made = await last.submit('/api-keys/new', '/api-keys/new', {
    name: 'Own',
    environment: 'live',
    preset: 'read',
  });
  const own = /<code tabindex="0"[^>]*>(sk_[^<]+)</.exec(made.html)![1]!;
  expect([(await last.get('/')).status, (await get(service.url, '/ping', own)).status]).toEqual([200, 200]);
  expect(await act('remove')).toBe('/people?done=account-removed');
  expect([(await last.get('/')).location, (await get(service.url, '/ping', own)).status]).toEqual(['/sign-in', 401]);
  expect((await owner.get('/people')).html).not.toContain('bob@example.com');
  expect((await owner.get(path)).status).toBe(404);
  expect((await owner.get('/audit-log')).html).toContain('Account user removed');
});

it('an owner creates a link for choosing a new password, which works once', async () => {
  await invited('cid@example.com', 'member');
  const path = await personPath('cid@example.com');
  const link = linkOf(await owner.submit(path, `${path}/reset-password`));
  const person = visitor(service.url);
  expect((await open(person, link)).html).toContain('Choose a new password for <strong>cid@example.com</strong>');
  const next = { password: 'quite another password', repeated: 'quite another password' };
  const page = await open(person, link);
  const sent = await Promise.all(Array.from({ length: 4 }, () => person.answer(page, '/sign-in/new-password', next)));
  expect(sent.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404]);
  expect(
    (await visitor(service.url).submit('/sign-in', '/sign-in', { email: 'cid@example.com', password: PASSWORD }))
      .status,
  ).toBe(401);
  await signedIn(service.url, { owner_email: 'cid@example.com', owner_password: next.password });
});

it('items that a person issued are listed first on their page, with "revoke these too" ticked, and are revoked when the person is removed', async () => {
  const leaver = await invited('eve@example.com', 'admin');
  await invited('holder@example.com', 'member');
  const holder = (await personPath('holder@example.com')).split('/').at(-1);
  const made = await askAs(
    leaver,
    'mutation ($id: ID!) { apiKeyCreate(input: { name: "Pipeline", environment: "live", preset: "read", accountUserId: $id }) { createdApiKey { secret } userErrors { message } } }',
    { id: holder },
  );
  const key = made.data.apiKeyCreate.createdApiKey.secret as string;
  const invitation = linkOf(
    await leaver.submit('/people/invite', '/people/invite', { email: 'friend@example.com', role: 'member' }),
  );
  await leaver.submit('/alerts/channels', '/alerts/channels', {
    kind: 'EMAIL',
    name: 'Private mailbox',
    target: 'private@example.net',
  });
  await askAs(
    owner,
    'mutation { alertChannelSave(input: { kind: EMAIL, name: "Mailbox of eve", target: "Eve@Example.com" }) { userErrors { message } } }',
  );
  expect((await owner.get('/people')).html).toContain('Invited by eve@example.com.');
  const path = await personPath('eve@example.com');
  const page = await owner.get(path);
  expect(page.html.indexOf('Issued by this person')).toBeLessThan(page.html.indexOf('<h2>Devices</h2>'));
  for (const text of [
    'Invitation for <strong>friend@example.com</strong>',
    'API key <strong>Pipeline</strong> of holder@example.com',
    'Alert channel <strong>Private mailbox</strong>',
    'Alert channel <strong>Mailbox of eve</strong>',
  ])
    expect(page.html).toContain(text);
  const [, removal = ''] = /action="\/people\/[0-9a-f-]{36}\/remove">([\s\S]*?)<\/form>/.exec(page.html)!;
  expect(removal).toContain('name="revoke_keys" value="yes" checked');
  expect(removal).toContain('name="delete_channels" value="yes" checked');

  const removed = await owner.answer(page, `${path}/remove`, { revoke_keys: 'yes', delete_channels: 'yes' });
  expect(removed.location).toBe('/people?done=account-removed');
  expect((await get(service.url, '/ping', key)).status).toBe(401);
  expect((await open(visitor(service.url), invitation)).status).toBe(404);
  expect((await owner.get('/people')).html).not.toContain('friend@example.com');
  expect((await owner.get('/alerts/channels')).html).not.toMatch(/Private mailbox|Mailbox of eve/);
});

it("keys that a person created in other people's names stay unless the box is ticked", async () => {
  const leaver = await invited('fay@example.com', 'admin');
  const made = await askAs(
    leaver,
    'mutation ($id: ID!) { apiKeyCreate(input: { name: "Stays", environment: "live", preset: "read", accountUserId: $id }) { createdApiKey { secret } userErrors { message } } }',
    { id: (await personPath('holder@example.com')).split('/').at(-1) },
  );
  const path = await personPath('fay@example.com');
  await owner.submit(path, `${path}/remove`);
  expect((await get(service.url, '/ping', made.data.apiKeyCreate.createdApiKey.secret)).status).toBe(200);
});

it('an admin sees everybody, and manages only members', async () => {
  const admin = await invited('admin@example.com', 'admin');
  await invited('member@example.com', 'member', admin);
  expect((await admin.get('/people/invite')).html).not.toContain('value="owner"');
  const theirs = await admin.get(await personPath(service.firstRun.owner_email));
  expect([
    theirs.status,
    theirs.html.includes('Only owners can manage owners, admins and finance'),
    theirs.html.includes('/disable"'),
  ]).toEqual([200, true, false]);
  const path = await personPath('member@example.com');
  expect((await admin.get(path)).html).not.toContain(`${path}/role`);
  expect((await admin.submit(path, `${path}/disable`)).location).toBe(`${path}?done=account-disabled`);
  const forged = await admin.get(path);
  const ownerPath = await personPath(service.firstRun.owner_email);
  const [, csrf = ''] = /name="csrf_token" value="([^"]+)"/.exec(forged.html)!;
  expect((await admin.post(`${ownerPath}/disable`, { csrf_token: csrf })).status).toBe(403);
  expect((await owner.get('/')).status).toBe(200);
});

it('a person whose sign-in is too old signs in again, and returns to the page', async () => {
  await invited('dan@example.com', 'member');
  const path = await personPath('dan@example.com');
  const page = await owner.get(path);
  await service.identity("update session set signed_in_at = now() - interval '11 minutes'");
  const refused = await owner.answer(page, `${path}/disable`);
  expect([
    refused.status,
    refused.html.includes(`href="/sign-in?next=${encodeURIComponent(path)}&amp;again=yes"`),
  ]).toEqual([403, true]);
  expect((await owner.get(path)).html).not.toContain('badge bad');
  owner = await signedIn(service.url, service.firstRun);
  expect((await owner.submit(path, `${path}/disable`)).location).toBe(`${path}?done=account-disabled`);
});

it('nobody can disable their own account, and a form needs its token', async () => {
  const path = await personPath(service.firstRun.owner_email);
  expect((await owner.get(path)).html).toContain('This is you');
  expect((await owner.post(`${path}/disable`, {})).status).toBe(403);
  const [, csrf = ''] = /name="csrf_token" value="([^"]+)"/.exec((await owner.get(path)).html)!;
  const refused = await owner.post(`${path}/disable`, { csrf_token: csrf });
  expect([refused.status, refused.html.includes('your own account')]).toEqual([400, true]);
});
