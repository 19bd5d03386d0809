import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningService, runningService } from '../../support/running-service.ts';
import { signedIn, visitor } from '../../support/visitor.ts';

let service: RunningService;

beforeAll(async () => {
  service = await runningService({}, { jobs: false });
});
afterAll(() => service.stop());

it('a person changes the password, and all other devices must sign in again with the new one', async () => {
  const { owner_email: email, owner_password: password } = service.firstRun;
  const [person, phone] = [
    await signedIn(service.url, service.firstRun),
    await signedIn(service.url, service.firstRun),
  ];
  const change = (fields: Record<string, string>) =>
    person.submit('/password', '/password', {
      password,
      new_password: 'a new password',
      repeated: 'a new password',
      ...fields,
    });

  const typo = await change({ repeated: 'a now password' });
  expect([typo.status, typo.html.includes('do not match')]).toEqual([400, true]);
  const wrong = await change({ password: 'guessed' });
  expect([wrong.status, wrong.html.includes('The current password is wrong')]).toEqual([400, true]);
  expect(wrong.html).not.toContain('a new password');

  const copy = visitor(service.url);
  copy.cookies.set('session', person.cookies.get('session')!);
  const done = await change({});
  expect([done.status, done.location]).toEqual([303, '/password?done=password-changed']);
  expect((await person.get('/password?done=password-changed')).html).toContain('Your password was changed');
  expect((await phone.get('/')).location).toBe('/sign-in');
  expect((await copy.get('/')).location).toBe('/sign-in');
  expect((await person.get('/')).status).toBe(200);
  expect((await visitor(service.url).submit('/sign-in', '/sign-in', { email, password })).status).toBe(401);
  await signedIn(service.url, { owner_email: email, owner_password: 'a new password' });
});
