import { afterAll, beforeAll, expect, it } from 'vitest';
import { graphql } from '../../support/api-client.ts';
import { signedInMember } from '../../support/member.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { signedIn } from '../../support/visitor.ts';

let service: RunningService;

beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1';
const TABLET = 'Mozilla/5.0 (Linux; Android 16; Tab) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36';

it('devices are listed with their address, and can be signed out one by one or all except this one', async () => {
  const person = await signedIn(service.url, service.firstRun);
  const phone = await signedIn(service.url, service.firstRun, PHONE);
  const tablet = await signedIn(service.url, service.firstRun, TABLET);
  const list = await person.get('/sessions');
  for (const name of ['Firefox on Linux', 'Safari on iPhone', 'Chrome on Android']) expect(list.html).toContain(name);
  expect(list.html).toContain('<code>127.0.0.1</code>');
  expect(list.html.match(/this device/g)).toHaveLength(1);

  const [, id = ''] = /value="([0-9a-f-]{36})" aria-label="Sign out Safari on iPhone/.exec(list.html)!;
  expect((await person.answer(list, '/sessions/end', { id })).location).toBe('/sessions?done=session-ended');
  expect((await phone.get('/')).location).toBe('/sign-in');
  expect((await tablet.get('/')).status).toBe(200);

  expect((await person.answer(list, '/sessions/end-others')).location).toBe('/sessions?done=others-ended');
  expect((await tablet.get('/')).location).toBe('/sign-in');
  expect((await person.get('/')).status).toBe(200);

  const [, own = ''] = /value="([0-9a-f-]{36})" aria-label="Sign out Firefox/.exec(
    (await person.get('/sessions')).html,
  )!;
  expect((await person.submit('/sessions', '/sessions/end', { id: own })).location).toBe('/sign-in?done=signed-out');
});

it("nobody can sign out another person's devices", async () => {
  const owner = await signedIn(service.url, service.firstRun);
  const [, id = ''] = /value="([0-9a-f-]{36})" aria-label="Sign out/.exec((await owner.get('/sessions')).html)!;
  const person = await signedInMember(service);
  await person.submit('/sessions', '/sessions/end', { id });
  expect((await owner.get('/')).status).toBe(200);
});

it('the audit log is for owners', async () => {
  const owner = await signedIn(service.url, service.firstRun);
  expect((await owner.get('/audit-log')).html).toContain('Session started');
  await graphql(
    service.url,
    service.firstRun.operator_token,
    'mutation { planSet(input: { allotment: 5 }) { credits { allotment } userErrors { message code } } }',
    {},
    service.firstRun.organization_id,
  );
  expect((await owner.get('/audit-log')).html).toContain('Plan set');
  const member = await signedInMember(service);
  expect((await member.get('/')).html).not.toContain('/audit-log');
  const refused = await member.get('/audit-log');
  expect({ status: refused.status, title: refused.html.includes('<h1>Not allowed</h1>') }).toEqual({
    status: 403,
    title: true,
  });
});
