/** Issuing a live key requires a sign-in within the last ten minutes. Afterwards the person returns to the page. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { get } from '../../support/api-client.ts';
import { type OauthService, oauthService } from '../../support/oauth-service.ts';
import { type PageAnswer, signedIn, type Visitor } from '../../support/visitor.ts';

let service: OauthService;
let person: Visitor;

beforeAll(async () => {
  service = await oauthService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  person = await signedIn(service.url, service.firstRun);
});

const age = () => service.identity("update session set signed_in_at = now() - interval '11 minutes'");

/** The page that the button in the response returns to. */
const leadsBackTo = ({ html }: PageAnswer): string | null => {
  const [, query = ''] = /class="button" href="\/sign-in\?([^"]+)"/.exec(html) ?? [];
  return new URLSearchParams(query.replaceAll('&amp;', '&')).get('next');
};
const keyOn = ({ html }: PageAnswer): string => /sk_(?:live|test)_[A-Za-z0-9]{40}/.exec(html)?.[0] ?? 'no key';

const KEY = { name: 'Export', description: 'Nightly', preset: 'read', environment: 'live' };

it('creating a live key needs a recent sign-in, after which the form is shown as filled in', async () => {
  const form = await person.get('/api-keys/new');
  await age();
  const refused = await person.answer(form, '/api-keys/new', KEY);
  expect([refused.status, keyOn(refused)]).toEqual([403, 'no key']);
  const back = leadsBackTo(refused)!;
  expect(Object.fromEntries(new URL(back, service.url).searchParams)).toMatchObject(KEY);
  expect(back).not.toContain('csrf');
  person = await signedIn(service.url, service.firstRun);
  expect((await person.get(back)).html).toContain('name="name" value="Export"');
  expect(keyOn(await person.submit(back, '/api-keys/new', KEY))).toMatch(/^sk_live_/);
});

it('rotating a key needs a recent sign-in, and continues after it', async () => {
  const key = keyOn(await person.submit('/api-keys/new', '/api-keys/new', { ...KEY, name: 'Turned' }));
  const [, page = ''] = /<a href="(\/api-keys\/[0-9a-f-]{36})">Turned</.exec((await person.get('/api-keys')).html)!;
  const form = await person.get(page);
  await age();
  const refused = await person.answer(form, `${page}/rotate`);
  expect([refused.status, leadsBackTo(refused)]).toEqual([403, page]);
  expect((await get(service.url, '/ping', key)).status).toBe(200);
});

it('connecting a device needs a recent sign-in, before and after its code is entered', async () => {
  const start = await fetch(`${service.url}/v1/oauth/device_authorization`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'cli', machine_name: 'laptop' }),
  });
  const { user_code: code } = (await start.json()) as { user_code: string };
  const entry = await person.get('/activate');
  await age();
  const refused = await person.answer(entry, '/activate', { user_code: code });
  expect([refused.status, leadsBackTo(refused)]).toEqual([403, `/activate?user_code=${code}`]);
  person = await signedIn(service.url, service.firstRun);
  const confirmation = await person.submit('/activate', '/activate', { user_code: code });
  await age();
  const late = await person.answer(confirmation, '/activate/decision', { decision: 'approve' });
  expect([late.status, leadsBackTo(late)]).toEqual([403, `/activate?user_code=${code}`]);
  person = await signedIn(service.url, service.firstRun);
  const again = await person.submit('/activate', '/activate', { user_code: code });
  expect((await person.answer(again, '/activate/decision', { decision: 'approve' })).html).toContain('laptop');
});

it('approving an application needs a recent sign-in, and is asked for again after it', async () => {
  const redirect = 'http://127.0.0.1:7777/callback';
  const registered = await fetch(`${service.url}/v1/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Reader', redirect_uris: [redirect] }),
  });
  const client = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirect,
    response_type: 'code',
    code_challenge: createHash('sha256').update(randomBytes(32).toString('base64url')).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'kept',
  }).toString();
  const page = await person.get(`/oauth/authorize?${query}`);
  await age();
  const location = `/sign-in?${new URLSearchParams({ next: `/oauth/authorize?${query}`, again: 'yes' }).toString()}`;
  expect((await person.get(`/oauth/authorize?${query}`)).location).toBe(location);
  expect((await person.answer(page, '/oauth/authorize', { decision: 'approve' })).location).toBe(location);
  expect((await person.answer(page, '/oauth/authorize', { decision: 'deny' })).html).toContain('access_denied');
});

it('a password change revokes keys created since a date, if chosen', async () => {
  const keys = [];
  for (const name of ['Old', 'First', 'New'])
    keys.push(keyOn(await person.submit('/api-keys/new', '/api-keys/new', { ...KEY, name })));
  const [old = '', first = '', young = ''] = keys;
  await service.identity("update api_key set created_at = now() - interval '30 days' where name = 'Old'");
  const { owner_password: password } = service.firstRun;
  const change = (from: string, to: string, fields: Record<string, string> = {}) =>
    person.submit('/password', '/password', { password: from, new_password: to, repeated: to, ...fields });
  const status = async () => {
    const answers = [old, first, young].map((key) => get(service.url, '/ping', key));
    return (await Promise.all(answers)).map((answer) => answer.status);
  };

  const since = /name="since" value="([^"]+)"/.exec((await person.get('/password')).html)![1]!;
  expect(Date.parse(since)).toBeLessThan(Date.now() - 13 * 86_400_000);
  await service.identity(`update api_key set created_at = '${since}T00:00:00Z' where name = 'First'`);
  expect((await change(password, 'a new password', { since })).location).toBe('/password?done=password-changed');
  expect(await status()).toEqual([200, 200, 200]);
  const wrong = await change('a new password', 'another password', { since: 'yesterday', revoke: 'yes' });
  expect([wrong.status, wrong.html.includes('YYYY-MM-DD')]).toEqual([400, true]);
  expect((await change('a new password', password, { since, revoke: 'yes' })).location).toBe(
    '/password?done=password-changed-keys-revoked',
  );
  expect(await status()).toEqual([200, 401, 401]);
});
