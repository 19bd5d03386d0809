/** Pages served over https behind a proxy that terminates TLS. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningService, runningService } from '../../support/running-service.ts';
import { visitor } from '../../support/visitor.ts';

let service: RunningService;
beforeAll(async () => {
  service = await runningService({ APP_URL: 'https://books.example' }, { jobs: false });
});
afterAll(() => service.stop());

const ORIGIN = { origin: 'https://books.example', host: 'books.example' };

it('every cookie can be set only by this host, and no other cookie name is accepted', async () => {
  const person = visitor(service.url, undefined, ORIGIN);
  const { owner_email: email, owner_password: password } = service.firstRun;
  const page = await person.get('/sign-in');
  const signedIn = await person.answer(page, '/sign-in', { email, password });
  const set = [...page.headers.getSetCookie(), ...signedIn.headers.getSetCookie()].filter(
    (cookie) => !cookie.includes('=;'),
  );
  expect(set).toHaveLength(2);
  for (const cookie of set)
    expect(cookie).toMatch(/^__Host-(session|visit)=[\w-]{43}; Path=\/;.* ?HttpOnly; Secure; SameSite=Lax$/);
  expect((await person.get('/')).status).toBe(200);

  const graphql = (cookie: string) =>
    fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-requested-with': 'test', cookie },
      body: '{"query":"{ sessions { id } }"}',
    }).then(async (answer) => (await answer.json()) as { data?: { sessions: unknown[] } });
  const token = person.cookies.get('__Host-session')!;
  expect((await graphql(`__Host-session=${token}`)).data?.sessions).toHaveLength(1);

  // For example, set by a sibling domain.
  const victim = visitor(service.url, undefined, ORIGIN);
  victim.cookies.set('session', token);
  expect((await victim.get('/')).location).toBe('/sign-in');
  expect((await graphql(`session=${token}`)).data?.sessions).toBeUndefined();
  const rotated = await fetch(`${service.url}/v1/api-keys/x/rotate`, {
    method: 'POST',
    headers: { cookie: `session=${token}`, 'x-requested-with': 'test' },
  });
  expect(rotated.status).toBe(401);
});
