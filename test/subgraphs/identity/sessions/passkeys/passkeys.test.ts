/** Passkeys: adding them, signing in with only a passkey or after the password, and attempts by a thief. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { createAccountUser } from '../../../../../subgraphs/identity/accounts/members/create-account-user.operation.ts';
import { disableAccountUser } from '../../../../../subgraphs/identity/accounts/members/disable-account-user.operation.ts';
import { listAccountUsers } from '../../../../../subgraphs/identity/accounts/members/list-account-users.operation.ts';
import { removeAccountUser } from '../../../../../subgraphs/identity/accounts/members/remove-account-user.operation.ts';
import { resetSecondFactor } from '../../../../../subgraphs/identity/accounts/members/reset-second-factor.operation.ts';
import { confirmPasskey } from '../../../../../subgraphs/identity/sessions/passkeys/confirm-passkey.operation.ts';
import { listPasskeys } from '../../../../../subgraphs/identity/sessions/passkeys/list-passkeys.operation.ts';
import { relyingPartyOf } from '#schema/relying-party.ts';
import { removePasskey } from '../../../../../subgraphs/identity/sessions/passkeys/remove-passkey.operation.ts';
import { renamePasskey } from '../../../../../subgraphs/identity/sessions/passkeys/rename-passkey.operation.ts';
import { startPasskey } from '../../../../../subgraphs/identity/sessions/passkeys/start-passkey.operation.ts';
import { confirmSecondFactor } from '../../../../../subgraphs/identity/sessions/second-factors/confirm-second-factor.operation.ts';
import { getSecondFactor } from '../../../../../subgraphs/identity/sessions/second-factors/get-second-factor.operation.ts';
import { startSecondFactor } from '../../../../../subgraphs/identity/sessions/second-factors/start-second-factor.operation.ts';
import { turnOffSecondFactor } from '../../../../../subgraphs/identity/sessions/second-factors/turn-off-second-factor.operation.ts';
import { completeSignInWithPasskey } from '../../../../../subgraphs/identity/sessions/sign-in/complete-sign-in-with-passkey.operation.ts';
import { completeSignIn } from '../../../../../subgraphs/identity/sessions/sign-in/complete-sign-in.operation.ts';
import { signInWithPasskey } from '../../../../../subgraphs/identity/sessions/sign-in/sign-in-with-passkey.operation.ts';
import { signIn } from '../../../../../subgraphs/identity/sessions/sign-in/sign-in.operation.ts';
import { startPasskeySignIn } from '../../../../../subgraphs/identity/sessions/sign-in/start-passkey-sign-in.operation.ts';
import { Authenticator, type Lies } from '../../../../support/authenticator.ts';
import { totpCode } from '../../../../support/totp-code.ts';
import { atOnce, BROWSER, type Identity, PASSWORD, SEALING, startIdentity } from '../../identity-builder.ts';

const APP = 'https://app.example.com';

let world: Identity;
beforeAll(async () => {
  world = await startIdentity();
});
afterAll(() => world.close());

async function aPerson(): Promise<{ id: string; email: string }> {
  const email = `person-${randomUUID()}@example.com`;
  return { id: (await createAccountUser(world.ofOurs, { email, password: PASSWORD, role: 'member' })).userId, email };
}

const enter = (email: string) => signIn(world.service, { email, password: PASSWORD, ...BROWSER });

/** Adds a passkey to a new account; `session` is the session that continues. */
async function withPasskey(authenticator = new Authenticator(APP), lies: Lies = {}) {
  const person = await aPerson();
  const session = await world.sessionOfToken((await enter(person.email)).session?.token ?? '');
  const options = await startPasskey(session, PASSWORD, APP);
  const response = authenticator.create(options, lies);
  const added = await confirmPasskey(session, { name: 'Laptop', response }, SEALING, APP);
  return { ...person, authenticator, added, session: await world.sessionOfToken(added.session.token) };
}

async function signInAlone(authenticator: Authenticator, lies: Lies = {}) {
  const options = await startPasskeySignIn(world.service, BROWSER, APP);
  return signInWithPasskey(world.service, { response: authenticator.get(options, lies), ...BROWSER }, APP);
}

async function secondStep(email: string, authenticator: Authenticator, lies: Lies = {}) {
  const attempt = (await enter(email)).attempt?.token ?? '';
  const options = await startPasskeySignIn(world.service, { attempt, ...BROWSER }, APP);
  const response = authenticator.get(options, lies);
  return completeSignInWithPasskey(world.service, { attempt, response, ...BROWSER }, APP);
}

const actionsOf = async (accountUserId: string) =>
  (
    await world.rows<{ act: string }>(
      'select act from audit_record where account_user_id = $1::uuid or subject_id = $1::text order by id',
      [accountUserId],
    )
  ).map(({ act }) => act);
const makeStale = ({ principal }: SubgraphContext) =>
  world.rows("update session set signed_in_at = now() - interval '11 minutes' where id = $1", [principal.credentialId]);

test('the relying party is the host of the pages, which must have a name', () => {
  expect(relyingPartyOf('https://books.example.com:8443/x')).toEqual({
    id: 'books.example.com',
    origin: 'https://books.example.com:8443',
  });
  expect(relyingPartyOf('http://localhost:8080')).toEqual({ id: 'localhost', origin: 'http://localhost:8080' });
  for (const url of ['http://127.0.0.1:8080', 'http://[::1]:8080']) expect(relyingPartyOf(url)).toBeNull();
});

describe('a passkey', () => {
  test('signs in by itself, is accepted after the password, and comes with recovery codes', async () => {
    const { id, email, authenticator, added, session } = await withPasskey();
    expect(added).toMatchObject({ passkey: { name: 'Laptop', lastUsedAt: null, isSynced: false } });
    expect(added.recoveryCodes).toHaveLength(10);
    const alone = await signInAlone(authenticator);
    expect((await world.sessionOfToken(alone.token)).principal.accountUserId).toBe(id);
    expect(await enter(email)).toMatchObject({ session: null, attempt: { asksForCode: false, asksForPasskey: true } });
    const { session: second } = await secondStep(email, authenticator);
    expect((await world.sessionOfToken(second?.token ?? '')).principal.accountUserId).toBe(id);
    const attempt = (await enter(email)).attempt?.token ?? '';
    const byPaper = { attempt, code: added.recoveryCodes?.[0] ?? '', ...BROWSER };
    expect((await completeSignIn(world.service, byPaper, SEALING)).session).not.toBeNull();
    expect(await getSecondFactor(session)).toEqual({ on: false, confirmedAt: null, recoveryCodesLeft: 9 });
    expect(await listPasskeys(session)).toEqual([
      { ...added.passkey, createdAt: expect.any(Date), lastUsedAt: expect.any(Date) },
    ]);
    expect((await listAccountUsers(world.ofOurs)).find((user) => user.id === id)).toMatchObject({
      hasSecondFactor: true,
      passkeyCount: 1,
    });
    expect(await actionsOf(id)).toContain('passkey.added');
  });

  test('a passkey of an authenticator without a counter signs in again and again', async () => {
    const { authenticator } = await withPasskey(new Authenticator(APP, false));
    for (let round = 0; round < 3; round += 1) expect((await signInAlone(authenticator)).token).toHaveLength(43);
  });

  test.each<[string, Lies]>([
    ['another origin', { origin: 'https://app.example.com.evil.example' }],
    ['another host', { rpId: 'evil.example' }],
    ['a person who was not verified', { isUserVerified: false }],
    ['an answer to something else', { type: 'webauthn.create' }],
    ["another site's frame", { crossOrigin: true }],
    ["another account's handle", { userHandle: Buffer.alloc(16).toString('base64url') }],
    ['a challenge of its own', { challenge: 'A'.repeat(43) }],
    ['a counter that did not grow', { counter: 1 }],
  ])('does not work with %s', async (_, lies) => {
    const { email, id, authenticator } = await withPasskey();
    await signInAlone(authenticator);
    await expect(signInAlone(authenticator, lies)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await secondStep(email, authenticator, lies)).toEqual({ session: null, guessesLeft: 4 });
    if (lies.challenge === undefined && lies.crossOrigin === undefined)
      expect(await actionsOf(id)).toContain('sign_in.failed');
    expect((await signInAlone(authenticator)).token).toHaveLength(43);
  });

  test('signs in once with a response that is sent many times at once, and not with a response that is late or for another purpose', async () => {
    const { email, authenticator } = await withPasskey();
    const response = authenticator.get(await startPasskeySignIn(world.service, BROWSER, APP));
    const { values, errors } = await atOnce(8, () => signInWithPasskey(world.service, { response, ...BROWSER }, APP));
    expect([values.length, errors.length]).toEqual([1, 7]);

    const late = authenticator.get(await startPasskeySignIn(world.service, BROWSER, APP));
    await world.rows(
      'update passkey_challenge set expires_at = now() - make_interval(secs => 1) where consumed_at is null',
    );
    await expect(signInWithPasskey(world.service, { response: late, ...BROWSER }, APP)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });

    const attempt = (await enter(email)).attempt?.token ?? '';
    const step = authenticator.get(await startPasskeySignIn(world.service, { attempt, ...BROWSER }, APP));
    await expect(signInWithPasskey(world.service, { response: step, ...BROWSER }, APP)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
    const other = (await enter(email)).attempt?.token ?? '';
    expect(
      (await completeSignInWithPasskey(world.service, { attempt: other, response: step, ...BROWSER }, APP)).session,
    ).toBeNull();
  });

  test('a passkey that is synced between devices works for one of two that present the same counter at once', async () => {
    const { authenticator } = await withPasskey();
    const requests = await Promise.all(
      Array.from({ length: 4 }, () => startPasskeySignIn(world.service, BROWSER, APP)),
    );
    const responses = requests.map((options) => authenticator.get(options, { counter: 9 }));
    const outcomes = await Promise.allSettled(
      responses.map((response) => signInWithPasskey(world.service, { response, ...BROWSER }, APP)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('a passkey of another account does not complete the second step, and counts as a wrong guess of the attempt', async () => {
    const [one, other] = [await withPasskey(), await withPasskey()];
    const attempt = (await enter(one.email)).attempt?.token ?? '';
    for (let left = 4; left >= 0; left -= 1) {
      const { challenge, rpId } = (await startPasskeySignIn(world.service, { attempt, ...BROWSER }, APP)) as any;
      const response = other.authenticator.get({ challenge, rpId });
      expect(await completeSignInWithPasskey(world.service, { attempt, response, ...BROWSER }, APP)).toEqual({
        session: null,
        guessesLeft: left,
      });
    }
    const right = one.authenticator.get(await startPasskeySignIn(world.service, { attempt, ...BROWSER }, APP));
    expect(
      (await completeSignInWithPasskey(world.service, { attempt, response: right, ...BROWSER }, APP)).session,
    ).toBeNull();
  });

  test.each([null, 'x', {}, { id: 'x', rawId: 'x', type: 'public-key', response: {} }, { id: '\0' }])(
    'is not %j',
    async (response) => {
      await expect(signInWithPasskey(world.service, { response, ...BROWSER }, APP)).rejects.toMatchObject({
        code: 'UNAUTHORIZED',
      });
      const session = await world.session();
      await expect(confirmPasskey(session, { name: 'x', response }, SEALING, APP)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    },
  );

  test('a passkey of a disabled account does not work', async () => {
    const { id, authenticator } = await withPasskey();
    await disableAccountUser(world.ofOurs, id);
    await expect(signInAlone(authenticator)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('is removed with its account, and by a reset of the second factor', async () => {
    const [removed, reset] = [await withPasskey(), await withPasskey()];
    await removeAccountUser(world.ofOurs, removed.id);
    expect([await resetSecondFactor(world.ofOurs, reset.id), await resetSecondFactor(world.ofOurs, reset.id)]).toEqual([
      true,
      false,
    ]);
    for (const { authenticator } of [removed, reset])
      await expect(signInAlone(authenticator)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect((await enter(reset.email)).session).not.toBeNull();
  });
});

describe('adding a passkey', () => {
  test('needs the password, and a sign-in within the last ten minutes if there is a second factor already', async () => {
    const { email } = await aPerson();
    const first = await world.sessionOfToken((await enter(email)).session?.token ?? '');
    await makeStale(first);
    await expect(startPasskey(first, 'not the password', APP)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await startPasskey(first, PASSWORD, APP);
    const { session } = await withPasskey();
    await makeStale(session);
    await expect(startPasskey(session, PASSWORD, APP)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      details: { actionHint: 'SIGN_IN_AGAIN' },
    });
  });

  test('is impossible at an address without a host name', async () => {
    await expect(startPasskey(await world.session(), PASSWORD, 'http://127.0.0.1:8080')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('APP_URL'),
    });
  });

  test.each<[string, Lies]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another host', { rpId: 'evil.example' }],
    ['a person who was not verified', { isUserVerified: false }],
    ['a challenge of its own', { challenge: 'A'.repeat(43) }],
    ["another site's frame", { crossOrigin: true }],
  ])('is refused for %s', async (_, lies) => {
    await expect(withPasskey(new Authenticator(APP), lies)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('works for one session, once', async () => {
    const [mine, theirs] = [await world.session(), await world.session('member')];
    const authenticator = new Authenticator(APP);
    const response = authenticator.create(await startPasskey(mine, PASSWORD, APP));
    const add = (session: SubgraphContext) => confirmPasskey(session, { name: 'x', response }, SEALING, APP);
    await expect(add(theirs)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const { values, errors } = await atOnce(6, () => add(mine));
    expect([values.length, errors.length]).toEqual([1, 5]);
    await resetSecondFactor(world.ofOurs, mine.principal.accountUserId ?? '');
  });

  test("does not accept another account's passkey, nor the same one twice", async () => {
    const { added, session, authenticator } = await withPasskey();
    const credentialId = authenticator.held[0]!.id.toString('base64url');
    await expect(withPasskey(new Authenticator(APP), { credentialId })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('already'),
    });
    const options = (await startPasskey(session, PASSWORD, APP)) as { excludeCredentials: { id: string }[] };
    expect(options.excludeCredentials).toEqual([expect.objectContaining({ id: credentialId })]);
    expect((await listPasskeys(session)).map(({ id }) => id)).toEqual([added.passkey.id]);
  });

  test('is possible until an account has twenty passkeys', async () => {
    const { session, added } = await withPasskey();
    const copy = (count: number) =>
      world.rows(
        `insert into passkey (organization_id, id, account_user_id, credential_id, public_key, counter, transports, is_synced, name, created_at)
         select organization_id, gen_random_uuid(), account_user_id, gen_random_uuid()::text, public_key, counter, transports, is_synced, name, created_at
         from passkey, generate_series(1, $2::int) where id = $1`,
        [added.passkey.id, count],
      );
    await copy(18);
    await startPasskey(session, PASSWORD, APP);
    await copy(1);
    await expect(startPasskey(session, PASSWORD, APP)).rejects.toMatchObject({
      message: 'An account can have at most 20 passkeys',
    });
  });

  test('keeps the recovery codes if there is another passkey already', async () => {
    const { session, authenticator } = await withPasskey();
    const response = authenticator.create(await startPasskey(session, PASSWORD, APP));
    expect(await confirmPasskey(session, { name: 'Key', response }, SEALING, APP)).toMatchObject({
      passkey: { name: 'Key' },
      recoveryCodes: null,
    });
  });
});

describe('removing a passkey', () => {
  test('needs the password and a recent sign-in, gives the session a new token, ends the others, and with the last passkey deletes the codes', async () => {
    const { id, email, session, added, authenticator } = await withPasskey();
    const other = (await signInAlone(authenticator)).token;
    const passkeyId = added.passkey.id;
    await expect(removePasskey(session, passkeyId, 'not the password')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await makeStale(session);
    await expect(removePasskey(session, passkeyId, PASSWORD)).rejects.toMatchObject({
      details: { actionHint: 'SIGN_IN_AGAIN' },
    });
    const fresh = await world.sessionOfToken((await signInAlone(authenticator)).token);
    for (const unknownId of [randomUUID(), 'x'])
      await expect(removePasskey(fresh, unknownId, PASSWORD)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(removePasskey(await world.session(), passkeyId, PASSWORD)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const { token } = await removePasskey(fresh, passkeyId, PASSWORD);
    await expect(world.sessionOfToken(other)).rejects.toThrow();
    const after = await world.sessionOfToken(token);
    expect([await listPasskeys(after), (await getSecondFactor(after)).recoveryCodesLeft]).toEqual([[], 0]);
    expect((await enter(email)).session).not.toBeNull();
    expect(await actionsOf(id)).toContain('passkey.removed');
  });

  test('leaves an authenticator app with its codes, and vice versa', async () => {
    const { email, session, added, authenticator } = await withPasskey();
    const { secret } = await startSecondFactor(session, SEALING, 'books', PASSWORD);
    const on = await confirmSecondFactor(session, totpCode(secret), SEALING);
    expect(await enter(email)).toMatchObject({ attempt: { asksForCode: true, asksForPasskey: true } });
    const both = await world.sessionOfToken(on.session.token);
    const off = await turnOffSecondFactor(both, PASSWORD, on.codes[0]!, SEALING);
    const onlyPasskey = await world.sessionOfToken(off.token);
    expect(await getSecondFactor(onlyPasskey)).toMatchObject({ on: false, recoveryCodesLeft: 9 });
    const again = await startSecondFactor(onlyPasskey, SEALING, 'books', PASSWORD);
    const { session: last } = await confirmSecondFactor(onlyPasskey, totpCode(again.secret), SEALING);
    const { token } = await removePasskey(await world.sessionOfToken(last.token), added.passkey.id, PASSWORD);
    expect(await getSecondFactor(await world.sessionOfToken(token))).toMatchObject({ on: true, recoveryCodesLeft: 10 });
    await expect(signInAlone(authenticator)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

test('a passkey is renamed only by its own account user', async () => {
  const { session, added } = await withPasskey();
  expect(await renamePasskey(session, added.passkey.id, ' Phone ')).toMatchObject({ name: 'Phone' });
  await expect(renamePasskey(session, added.passkey.id, ' ')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await expect(renamePasskey(await world.session(), added.passkey.id, 'Mine')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect((await listPasskeys(session)).map(({ name }) => name)).toEqual(['Phone']);
});

test('challenges without an account are limited per address', async () => {
  const from = { address: '203.0.113.200' };
  for (let count = 0; count < 120; count += 1) await startPasskeySignIn(world.service, from, APP);
  await expect(startPasskeySignIn(world.service, from, APP)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  await expect(
    startPasskeySignIn(world.service, { attempt: 'x', address: '203.0.113.201' }, APP),
  ).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});
