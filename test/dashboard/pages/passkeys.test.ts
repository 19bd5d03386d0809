import { afterAll, beforeAll, expect, it } from 'vitest';
import { graphql } from '../../support/api-client.ts';
import { Authenticator } from '../../support/authenticator.ts';
import { freePort } from '../../support/free-port.ts';
import { type RunningService, runningService } from '../../support/running-service.ts';
import { totpCode } from '../../support/totp-code.ts';
import { type PageAnswer, signedIn, type Visitor, visitor } from '../../support/visitor.ts';

let service: RunningService;
let origin: string;
let owner: Visitor;
let authenticator: Authenticator;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://localhost:${port}`;
  service = await runningService({ PORT: String(port), APP_URL: origin }, { jobs: false });
  authenticator = new Authenticator(origin);
  owner = await signedIn(origin, service.firstRun);
});
afterAll(() => service.stop());

/** The data that the page's script passes to the authenticator. */
function optionsOf({ html }: PageAnswer): unknown {
  const [, options = ''] = /data-options="([^"]*)"/.exec(html) ?? [];
  return JSON.parse(options.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'));
}

const password = () => service.firstRun.owner_password;
const policyOf = ({ headers }: PageAnswer) => headers.get('content-security-policy');

it('a passkey is added, renamed, used alone and after the password, and removed', async () => {
  const wrong = await owner.submit('/passkeys/new', '/passkeys/new', { name: 'Laptop', password: 'wrong' });
  expect([wrong.status, wrong.html.includes('The password is wrong'), wrong.html.includes('value="Laptop"')]).toEqual([
    400,
    true,
    true,
  ]);
  const asking = await owner.submit('/passkeys/new', '/passkeys/new', { name: 'My <laptop>', password: password() });
  expect(policyOf(asking)).toContain("script-src 'self'");
  const before = new Map(owner.cookies);
  const garbled = await owner.answer(asking, '/passkeys', { response: 'no JSON' });
  expect([garbled.status, garbled.html.includes('start again')]).toEqual([400, true]);
  const response = JSON.stringify(authenticator.create(optionsOf(asking)));
  const added = await owner.answer(asking, '/passkeys', { response });
  expect(added.html.match(/<li><code>/g)).toHaveLength(10);
  expect(owner.cookies.get('session')).not.toBe(before.get('session'));
  const list = await owner.get('/second-factor');
  expect(list.html).toContain('My &lt;laptop&gt;');
  expect(list.html).toContain('10 of ten recovery codes are left');
  expect(policyOf(list)).toMatch(/; script-src 'self'; connect-src 'self'$/);
  expect(policyOf(await visitor(origin).get('/sign-in'))).not.toContain('script-src');
  const [, path = ''] = /href="(\/passkeys\/[0-9a-f-]{36})"/.exec(list.html) ?? [];
  expect((await owner.submit(path, `${path}/rename`, { name: 'Laptop' })).location).toBe(
    '/second-factor?done=passkey-renamed',
  );

  const alone = visitor(origin);
  const request = await alone.submit('/sign-in', '/sign-in/passkey', {});
  expect(policyOf(request)).toContain("script-src 'self'");
  const signedInAlone = await alone.answer(request, '/sign-in/passkey/answer', {
    response: JSON.stringify(authenticator.get(optionsOf(request))),
  });
  expect([signedInAlone.status, signedInAlone.location]).toEqual([303, '/']);
  expect((await alone.get('/sessions')).status).toBe(200);

  const both = visitor(origin);
  const first = await both.submit('/sign-in', '/sign-in', {
    email: service.firstRun.owner_email,
    password: password(),
  });
  expect(first.location).toBe('/sign-in/passkey-step?next=%2F');
  expect(both.cookies.has('session')).toBe(false);
  const step = await both.get(first.location!);
  const lie = await both.answer(step, '/sign-in/passkey-step', {
    response: JSON.stringify(authenticator.get(optionsOf(step), { origin: 'https://evil.example' })),
  });
  expect([lie.status, lie.html.includes('belongs to another account')]).toEqual([401, true]);
  const done = await both.answer(lie, '/sign-in/passkey-step', {
    response: JSON.stringify(authenticator.get(optionsOf(lie))),
  });
  expect([done.location, both.cookies.has('session')]).toEqual(['/', true]);

  expect((await both.submit(path, `${path}/remove`, { password: 'wrong' })).status).toBe(400);
  expect((await both.submit(path, `${path}/remove`, { password: password() })).location).toBe(
    '/second-factor?done=passkey-removed',
  );
  expect((await alone.get('/sessions')).location).toContain('/sign-in');
  const dead = await visitor(origin).submit('/sign-in', '/sign-in/passkey', {});
  const stranger = visitor(origin);
  const begun = await stranger.submit('/sign-in', '/sign-in/passkey', {});
  const refused = await stranger.answer(begun, '/sign-in/passkey/answer', {
    response: JSON.stringify(authenticator.get(optionsOf(dead))),
  });
  expect([refused.status, refused.html.includes('does not belong to an account')]).toEqual([401, true]);
});

it('the second step follows the password', async () => {
  expect((await visitor(origin).get('/sign-in/passkey-step?next=/api-keys')).location).toBe(
    '/sign-in?next=%2Fapi-keys',
  );
});

it('the script has a name that changes with its content, and no page runs anything inline', async () => {
  const { html } = await visitor(origin).submit('/sign-in', '/sign-in/passkey', {});
  const scripts = [...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
  expect(scripts).toEqual([expect.stringMatching(/^<script src="\/assets\/[0-9a-f]{12}\.js" defer>$/)]);
  const [, path = ''] = /src="([^"]+)"/.exec(scripts[0]!) ?? [];
  const script = await visitor(origin).get(path);
  expect([script.status, script.headers.get('content-type'), script.headers.get('cache-control')]).toEqual([
    200,
    'text/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
  ]);
});

it('an address without a host name offers no passkeys', async () => {
  const other = await runningService({ APP_URL: 'http://127.0.0.1:4501' }, { jobs: false });
  try {
    expect((await visitor(other.url).get('/sign-in')).html).not.toContain('passkey');
    const person = await signedIn(other.url, other.firstRun);
    expect((await person.get('/passkeys/new')).html).toContain('APP_URL');
  } finally {
    await other.stop();
  }
});

it('a person who needs a second factor is asked to set one up, and can then open every page', async () => {
  const other = await runningService({ APP_URL: 'http://127.0.0.1:4501' }, { jobs: false });
  try {
    const person = await signedIn(other.url, other.firstRun);
    const early = await person.submit('/people', '/people/second-factor', {});
    expect([early.status, early.html.includes('Set up your own second factor first')]).toEqual([400, true]);
    const operator = { required: true };
    await graphql(
      other.url,
      other.firstRun.operator_token,
      'mutation ($required: Boolean!) { organizationRequireSecondFactor(input: { required: $required }) { organization { id } userErrors { message } } }',
      operator,
      other.firstRun.organization_id,
    );
    for (const path of ['/', '/api-keys', '/people', '/password', '/activate', '/sessions'])
      expect([path, (await person.get(path)).location]).toEqual([path, '/second-factor']);
    const lead = await person.get('/second-factor');
    expect(lead.html).toContain('Your organization requires a second factor');
    expect(lead.html).not.toContain('href="/api-keys"');
    const offer = await person.answer(lead, '/second-factor/start', { password: other.firstRun.owner_password });
    const [, secret = ''] = /secret=([A-Z2-7]{32})/.exec(offer.html) ?? [];
    const codes = await person.answer(offer, '/second-factor/confirm', { code: totpCode(secret) });
    expect(codes.html).toContain('Your recovery codes');
    expect((await person.get('/api-keys')).status).toBe(200);
    expect((await person.get('/people')).html).toContain(
      'Everyone must sign in with a passkey or an authenticator app',
    );
    expect((await person.submit('/people', '/people/second-factor', {})).location).toBe(
      '/people?done=second-factor-optional',
    );
  } finally {
    await other.stop();
  }
});
