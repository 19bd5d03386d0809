import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createOrganization } from '../../../../../subgraphs/identity/accounts/create-organization.operation.ts';
import { createApiKey } from '../../../../../subgraphs/identity/keys/create-api-key.operation.ts';
import { confirmOwnPassword } from '../../../../../subgraphs/identity/sessions/confirm-own-password.operation.ts';
import { changePassword } from '../../../../../subgraphs/identity/sessions/sign-in/change-password.operation.ts';
import { completeSignIn } from '../../../../../subgraphs/identity/sessions/sign-in/complete-sign-in.operation.ts';
import { confirmSecondFactor } from '../../../../../subgraphs/identity/sessions/second-factors/confirm-second-factor.operation.ts';
import { createAccountUser } from '../../../../../subgraphs/identity/accounts/members/create-account-user.operation.ts';
import { identifyCaller } from '../../../../../subgraphs/identity/callers/identify-caller.operation.ts';
import { listSessions } from '../../../../../subgraphs/identity/sessions/list-sessions.operation.ts';
import { replaceRecoveryCodes } from '../../../../../subgraphs/identity/sessions/second-factors/replace-recovery-codes.operation.ts';
import { getSecondFactor } from '../../../../../subgraphs/identity/sessions/second-factors/get-second-factor.operation.ts';
import { signIn } from '../../../../../subgraphs/identity/sessions/sign-in/sign-in.operation.ts';
import { signOutOtherSessions } from '../../../../../subgraphs/identity/sessions/sign-out-other-sessions.operation.ts';
import { signOutSession } from '../../../../../subgraphs/identity/sessions/sign-out-session.operation.ts';
import { startSecondFactor } from '../../../../../subgraphs/identity/sessions/second-factors/start-second-factor.operation.ts';
import { turnOffSecondFactor } from '../../../../../subgraphs/identity/sessions/second-factors/turn-off-second-factor.operation.ts';
import { stepAt, totpCode } from '../../../../../subgraphs/identity/sessions/second-factors/totp.ts';
import { totpCode as codeOfApp } from '../../../../support/totp-code.ts';
import { atOnce, BROWSER, type Identity, PASSWORD, SEALING, startIdentity } from '../../identity-builder.ts';

let world: Identity;
beforeAll(async () => {
  world = await startIdentity();
});
afterAll(() => world.close());
afterEach(() => void vi.useRealTimers());

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
let people = 0;

/** An account user that no other test signs in as. */
async function aPerson(): Promise<string> {
  people += 1;
  const email = `person-${people}@example.com`;
  await createAccountUser(world.ofOurs, { email, password: PASSWORD, role: 'member' });
  return email;
}

const enter = (email: string, password = PASSWORD, browser = BROWSER) =>
  signIn(world.service, { email, password, ...browser });
const step = (attempt: string, code: string) => completeSignIn(world.service, { attempt, code, ...BROWSER }, SEALING);

async function sessionOf(email: string) {
  const { session } = await enter(email);
  return world.sessionOfToken(session?.token ?? '');
}

/** Turns the second factor on; `code(n)` is the code n steps from now, which the account has not used yet. */
async function withSecondFactor(email: string) {
  const session = await sessionOf(email);
  const { secret } = await startSecondFactor(session, SEALING, 'books', PASSWORD);
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const code = (steps = 0): string => totpCode(bytes, stepAt(new Date()) + steps);
  const { codes } = await confirmSecondFactor(session, code(-1), SEALING);
  return { session, code, codes };
}

async function attemptOf(email: string): Promise<string> {
  const { session, attempt } = await enter(email);
  expect(session).toBeNull();
  return attempt?.token ?? '';
}

/** Six digits that are not a current code. */
const wrong = (right: (steps: number) => string): string =>
  ['000000', '111111', '222222', '333333'].find((guess) => ![-1, 0, 1].some((steps) => right(steps) === guess)) ?? '';

describe('a password', () => {
  test('starts a session with the role and the query scopes', async () => {
    const email = await aPerson();
    const { principal } = await sessionOf(email);
    expect(principal).toMatchObject({
      kind: 'session',
      organizationId: world.organizationId,
      credentialName: email,
      environment: null,
    });
    expect(principal.grants).toEqual(['member', 'costs:read', 'revenue:read', 'usage:read', 'dimensions:read']);
  });

  test('a password that is wrong, and an unknown account, get the same response', async () => {
    const email = await aPerson();
    const refusals = await Promise.all(
      [enter(email, 'a wrong password'), enter('nobody@example.com'), enter('not an \0 address')].map((input) =>
        input.catch((error: unknown) => error),
      ),
    );
    expect(new Set(refusals.map(String)).size).toBe(1);
    expect(refusals[0]).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('a password that is wrong ten times delays the next attempt, even with the right one; another address is unaffected', async () => {
    const email = await aPerson();
    for (let count = 0; count < 10; count += 1)
      await expect(enter(email, 'wrong')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(enter(email)).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { retryAfterSeconds: expect.any(Number) },
    });
    expect((await enter(email, PASSWORD, { ...BROWSER, address: '198.51.100.1' })).session).not.toBeNull();
    await world.rows("update throttle set blocked_until = now() - interval '1 second' where blocked_until is not null");
    expect((await enter(email)).session).not.toBeNull();
  });

  test('can be guessed at most ten times, however many guesses are concurrent', async () => {
    const email = await aPerson();
    // If a guess comes a second later, as on a busy machine, it may be checked.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const { errors } = await atOnce(25, () => enter(email, 'wrong'));
    expect(errors.filter((error) => (error as { code: string }).code === 'UNAUTHORIZED')).toHaveLength(10);
  });

  test('can be guessed once after each wait, which doubles, however many guesses are concurrent', async () => {
    const email = await aPerson();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const judged = async () => {
      const { errors } = await atOnce(12, () => enter(email, 'wrong'));
      return errors.filter((error) => (error as { code: string }).code === 'UNAUTHORIZED').length;
    };
    expect([await judged(), await judged()]).toEqual([10, 0]);
    for (const waitSeconds of [1, 2, 4]) {
      vi.setSystemTime(Date.now() + waitSeconds * 1_000 - 1);
      expect(await judged()).toBe(0);
      vi.setSystemTime(Date.now() + 1);
      expect(await judged()).toBe(1);
    }
  });
});

describe('failed sign-ins', () => {
  const wrongFrom = (address: string, email: string, times: number) =>
    atOnce(times, () => enter(email, 'wrong', { ...BROWSER, address }));
  /** Highest count of any subject: here, that of the address. */
  const countOfAddress = async () =>
    (await world.rows<{ max: number }>('select max(count) as max from throttle'))[0]?.max;

  test('are forgotten a day after the last one', async () => {
    const email = await aPerson();
    await wrongFrom('198.51.100.1', email, 9);
    await world.rows("update throttle set last_at = last_at - interval '25 hours'");
    await wrongFrom('198.51.100.1', email, 8);
    expect((await enter(email, PASSWORD, { ...BROWSER, address: '198.51.100.1' })).session).not.toBeNull();
  });

  test('failed sign-ins of an address are not forgotten when somebody signs in from there', async () => {
    await world.rows('delete from throttle');
    const browser = { ...BROWSER, address: '198.51.100.2' };
    for (let other = 0; other < 5; other += 1) await wrongFrom(browser.address, `nobody-${other}@example.com`, 1);
    expect((await enter(await aPerson(), PASSWORD, browser)).session).not.toBeNull();
    expect(await countOfAddress()).toBe(5);
    const email = await aPerson();
    const { code } = await withSecondFactor(email);
    const { attempt } = await enter(email, PASSWORD, browser);
    const form = { attempt: attempt?.token ?? '', code: code(0), ...browser };
    expect((await completeSignIn(world.service, form, SEALING)).session).not.toBeNull();
    expect(await countOfAddress()).toBe(5);
    await world.rows('delete from throttle');
  });

  test('failed sign-ins of an account from everywhere lock out nobody who has signed in from the same network before', async () => {
    const email = await aPerson();
    await enter(email);
    await world.rows(
      `insert into throttle (subject, count, since, last_at, blocked_until)
       values (sha256(convert_to('sign-in-account:' || $1::text, 'UTF8')), 60, now(), now(), now() + interval '10 minutes')`,
      [email],
    );
    await expect(enter(email, PASSWORD, { ...BROWSER, address: '198.51.100.3' })).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
    });
    expect((await enter(email)).session).not.toBeNull();
  });
});

describe('an address in another spelling', () => {
  const spellings = (email: string) => [
    email.toUpperCase(),
    `  ${email} `,
    `\u3000${email}\ufeff`,
    `${email.slice(0, 3)}\0${email.slice(3)}`,
    `\0${email}`,
    `${email}\0\0`,
    `${email.slice(0, 5)}\u0007${email.slice(5)}`,
    `${email.slice(0, 4)}\u200b${email.slice(4)}`,
    `\ud800${email}`,
    `${email}\udc00`,
    email.normalize('NFD'),
  ];

  test('belongs to the same account with the same limit, or to none', async () => {
    const email = `r\u00e9sum\u00e9-${(people += 1)}@example.com`;
    await createAccountUser(world.ofOurs, { email, password: PASSWORD, role: 'member' });
    const outcomes: string[] = [];
    for (let guess = 0; guess < 150; guess += 1) {
      const spelling = spellings(email)[guess % spellings(email).length] ?? '';
      outcomes.push(
        await enter(spelling, 'wrong', { ...BROWSER, address: `198.18.${guess}.1` }).then(
          () => 'in',
          (error: { code: string }) => error.code,
        ),
      );
    }
    // Fifty for the account from unknown addresses, and fifty for all callers without an address; then the wait doubles
    // each time.
    expect(outcomes.filter((outcome) => outcome === 'UNAUTHORIZED').length).toBeLessThanOrEqual(120);
    expect(outcomes.every((outcome) => outcome !== 'in')).toBe(true);
    await world.rows('delete from throttle');
  });

  test('signs in if it is the same address, and not otherwise', async () => {
    const email = `caf\u00e9-${(people += 1)}@example.com`;
    await createAccountUser(world.ofOurs, {
      email: ` ${email.normalize('NFD').toUpperCase()}`,
      password: PASSWORD,
      role: 'member',
    });
    const opened = await Promise.all(
      spellings(email).map((spelling) =>
        enter(spelling).then(
          ({ session }) => session !== null,
          () => false,
        ),
      ),
    );
    expect(opened).toEqual([true, true, true, false, false, false, false, false, false, false, true]);
    await expect(
      createAccountUser(world.ofOurs, { email: email.normalize('NFD'), password: PASSWORD, role: 'member' }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await world.rows('delete from throttle');
  });
});

describe('the audit log', () => {
  const actsOn = (id: string | null) =>
    world.rows<{ act: string; detail: string }>(
      'select act, detail from audit_record where account_user_id = $1 or subject_id = $1::text order by id',
      [id],
    );

  test('records failed sign-ins, throttling and new devices, each with its address', async () => {
    const email = await aPerson();
    const [{ id } = { id: '' }] = await world.rows<{ id: string }>('select id from account_user where email = $1', [
      email,
    ]);
    const created = { act: 'account_user.created', detail: email };
    const away = { ...BROWSER, address: '203.0.113.9\0' };
    for (let count = 0; count < 10; count += 1) await enter(email, 'wrong', away).catch(() => null);
    for (let count = 0; count < 30; count += 1) await enter(email, 'wrong', away).catch(() => null);
    const acts = await actsOn(id);
    expect(acts[0]).toEqual(created);
    expect(acts.filter(({ act }) => act === 'sign_in.failed').length).toBeGreaterThanOrEqual(10);
    expect(acts.filter(({ act }) => act === 'sign_in.throttled')).toHaveLength(10);
    expect(new Set(acts.slice(1).map(({ detail }) => detail))).toEqual(new Set(['203.0.113.9']));
  });

  test('records a new device once', async () => {
    const {
      principal: { accountUserId },
    } = await sessionOf(await aPerson());
    const email =
      (await world.rows<{ email: string }>('select email from account_user where id = $1', [accountUserId]))[0]
        ?.email ?? '';
    for (const browser of [
      BROWSER,
      { ...BROWSER, userAgent: 'Another' },
      { ...BROWSER, address: '192.0.2.8' },
      BROWSER,
    ])
      await enter(email, PASSWORD, browser);
    expect(
      (await actsOn(accountUserId)).filter(({ act }) => act === 'session.new_device').map(({ detail }) => detail),
    ).toEqual(['192.0.2.7 A browser', '192.0.2.7 Another', '192.0.2.8 A browser']);
  });
});

describe('sessions', () => {
  test('are listed, and signed out one by one or all except the current one', async () => {
    const email = await aPerson();
    const [one, two, three] = [await sessionOf(email), await sessionOf(email), await sessionOf(email)];
    expect(
      (await listSessions(three)).map(({ current, address, userAgent }) => ({ current, address, userAgent })),
    ).toEqual([true, false, false].map((current) => ({ current, ...BROWSER })));
    expect(await signOutSession(three, one.principal.credentialId)).toBe(true);
    expect(await signOutSession(three, one.principal.credentialId)).toBe(false);
    expect(await signOutOtherSessions(three)).toBe(1);
    expect((await listSessions(three)).map(({ id }) => id)).toEqual([three.principal.credentialId]);
    const idle = await sessionOf(email);
    await world.rows("update session set last_seen_at = now() - interval '12 hours' where id = $1", [
      idle.principal.credentialId,
    ]);
    expect((await listSessions(three)).map(({ id }) => id)).toEqual([three.principal.credentialId]);
    expect(await signOutSession(two, null)).toBe(false);
    expect(await signOutSession(three, null)).toBe(true);
    expect(await listSessions(three)).toEqual([]);
  });

  test('sessions of others cannot be ended', async () => {
    const [mine, theirs] = [await sessionOf(await aPerson()), await sessionOf(await aPerson())];
    expect(await signOutSession(mine, theirs.principal.credentialId)).toBe(false);
    expect(await listSessions(theirs)).toHaveLength(1);
  });

  test.each([
    ['twelve idle hours', "last_seen_at = now() - interval '12 hours'"],
    ['fourteen days', 'expires_at = now() - make_interval(secs => 1)'],
    ['a sign-out', 'ended_at = now()'],
  ])('end after %s', async (_, change) => {
    const { session } = await enter(await aPerson());
    const { principal } = await world.sessionOfToken(session?.token ?? '');
    await world.rows(`update session set ${change} where id = $1`, [principal.credentialId]);
    expect(await identifyCaller(world.service, 'session', session?.token ?? '', null)).toBeNull();
  });

  test('are stored without their token', async () => {
    const { session } = await enter(await aPerson());
    const rows = await world.rows<{ row: string }>('select to_json(session)::text as row from session');
    expect(rows.some(({ row }) => row.includes(session?.token ?? ''))).toBe(false);
  });
});

describe('a second factor', () => {
  test('requires a code before a session starts, and accepts each code once', async () => {
    const email = await aPerson();
    const { code } = await withSecondFactor(email);
    const attempt = await attemptOf(email);
    expect(await identifyCaller(world.service, 'session', attempt, null)).toBeNull();
    const now = code();
    const { session } = await step(attempt, now);
    expect(session).not.toBeNull();
    expect(await step(attempt, code(1))).toEqual({ session: null, guessesLeft: 0 });
    expect(await step(await attemptOf(email), now)).toEqual({ session: null, guessesLeft: 4 });
    expect((await step(await attemptOf(email), code(1))).session).not.toBeNull();
  });

  test('the fifth wrong code voids the attempt', async () => {
    const email = await aPerson();
    const { code } = await withSecondFactor(email);
    const attempt = await attemptOf(email);
    for (const guessesLeft of [4, 3, 2, 1, 0])
      expect(await step(attempt, wrong(code))).toEqual({ session: null, guessesLeft });
    expect(await step(attempt, code())).toEqual({ session: null, guessesLeft: 0 });
  });

  test('can be guessed at most five times, however many guesses are concurrent', async () => {
    const email = await aPerson();
    const { code } = await withSecondFactor(email);
    const attempt = await attemptOf(email);
    const { values } = await atOnce(20, () => step(attempt, wrong(code)));
    expect(values.map(({ guessesLeft }) => guessesLeft).sort()).toEqual([
      ...Array.from({ length: 16 }, () => 0),
      1,
      2,
      3,
      4,
    ]);
    expect(await world.rows('select guesses from sign_in_attempt where guesses > 5')).toEqual([]);
  });

  test('one code sent many times at once starts one session', async () => {
    const email = await aPerson();
    const { code } = await withSecondFactor(email);
    const attempts = [await attemptOf(email), await attemptOf(email), await attemptOf(email)];
    const now = code();
    const answers = await Promise.all(attempts.map((attempt) => step(attempt, now)));
    expect(answers.filter(({ session }) => session)).toHaveLength(1);
  });

  test('a known password does not give unlimited guesses: attempts wait like failures', async () => {
    const email = await aPerson();
    const { code } = await withSecondFactor(email);
    for (let count = 0; count < 10; count += 1) await attemptOf(email);
    await expect(enter(email)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    await world.rows("update throttle set blocked_until = now() - interval '1 second' where blocked_until is not null");
    expect((await step(await attemptOf(email), code())).session).not.toBeNull();
    expect((await enter(email)).attempt).not.toBeNull();
  });

  test('ten recovery codes work for one sign-in each, however they are typed', async () => {
    const email = await aPerson();
    const { session, codes } = await withSecondFactor(email);
    expect(new Set(codes).size).toBe(10);
    expect(codes.every((code) => /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/.test(code))).toBe(true);
    const [first = '', second = ''] = codes;
    expect((await step(await attemptOf(email), ` ${first.toLowerCase().replaceAll('-', '')} `)).session).not.toBeNull();
    expect((await step(await attemptOf(email), first)).session).toBeNull();
    const attempts = [await attemptOf(email), await attemptOf(email)];
    expect(
      (await Promise.all(attempts.map((attempt) => step(attempt, second)))).filter((answer) => answer.session),
    ).toHaveLength(1);
    expect(await getSecondFactor(session)).toMatchObject({ on: true, recoveryCodesLeft: 8 });
  });

  test('new recovery codes replace the old ones and need a code', async () => {
    const email = await aPerson();
    const { session, code, codes } = await withSecondFactor(email);
    await expect(replaceRecoveryCodes(session, wrong(code), SEALING)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    const fresh = await replaceRecoveryCodes(session, code(), SEALING);
    expect((await step(await attemptOf(email), codes[0] ?? '')).session).toBeNull();
    expect((await step(await attemptOf(email), fresh.codes[0] ?? '')).session).not.toBeNull();
  });

  test('is turned off with password and code, which ends the other sessions', async () => {
    const email = await aPerson();
    const { session, code } = await withSecondFactor(email);
    const other = (await step(await attemptOf(email), code())).session?.token ?? '';
    await expect(turnOffSecondFactor(session, 'a wrong password', code(1), SEALING)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(turnOffSecondFactor(session, PASSWORD, wrong(code), SEALING)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    const { token } = await turnOffSecondFactor(session, PASSWORD, code(1), SEALING);
    expect((await world.sessionOfToken(token)).principal.credentialId).toBe(session.principal.credentialId);
    expect(await identifyCaller(world.service, 'session', other, null)).toBeNull();
    expect(await getSecondFactor(session)).toEqual({ on: false, confirmedAt: null, recoveryCodesLeft: 0 });
    expect((await enter(email)).session).not.toBeNull();
  });

  test('is not on before a code confirms it, and cannot be set up twice', async () => {
    const email = await aPerson();
    const session = await sessionOf(email);
    await startSecondFactor(session, SEALING, 'books', PASSWORD);
    expect((await enter(email)).session).not.toBeNull();
    await expect(confirmSecondFactor(session, '000000', SEALING)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const { session: confirmed } = await withSecondFactor(email);
    await expect(startSecondFactor(confirmed, SEALING, 'books', PASSWORD)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  test('cannot be set up with a copied cookie, however recent: it needs the password', async () => {
    const email = await aPerson();
    const session = await sessionOf(email);
    await expect(startSecondFactor(session, SEALING, 'books', 'a wrong password')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(
      await world.rows('select 1 from second_factor where account_user_id = $1', [session.principal.accountUserId]),
    ).toEqual([]);
    expect((await startSecondFactor(session, SEALING, 'books', PASSWORD)).secret).toMatch(/^[A-Z2-7]{32}$/);
    for (let guess = 0; guess < 9; guess += 1)
      await startSecondFactor(session, SEALING, 'books', 'wrong').catch(() => null);
    await expect(startSecondFactor(session, SEALING, 'books', PASSWORD)).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
    });
  });

  test('cannot be confirmed by guessing: after ten wrong codes in a session, the right one waits', async () => {
    const session = await sessionOf(await aPerson());
    const { secret } = await startSecondFactor(session, SEALING, 'books', PASSWORD);
    for (let guess = 0; guess < 10; guess += 1)
      await expect(confirmSecondFactor(session, 'no code', SEALING)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    await expect(confirmSecondFactor(session, codeOfApp(secret), SEALING)).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
    });
  });

  test('turning it on or off gives the session a new token: a copy of its cookie stops working', async () => {
    const email = await aPerson();
    const token = (await enter(email)).session?.token ?? '';
    const session = await world.sessionOfToken(token);
    const bits = [...(await startSecondFactor(session, SEALING, 'books', PASSWORD)).secret]
      .map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
      .join('');
    const code = (steps: number) =>
      totpCode(
        Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))),
        stepAt(new Date()) + steps,
      );
    const on = await confirmSecondFactor(session, code(-1), SEALING);
    expect(await identifyCaller(world.service, 'session', token, null)).toBeNull();
    const off = await turnOffSecondFactor(await world.sessionOfToken(on.session.token), PASSWORD, code(0), SEALING);
    expect(await identifyCaller(world.service, 'session', on.session.token, null)).toBeNull();
    expect(await identifyCaller(world.service, 'session', off.token, null)).toMatchObject({
      credentialId: session.principal.credentialId,
    });
  });

  test('wrong codes to turn it off are limited per session', async () => {
    const { session, code } = await withSecondFactor(await aPerson());
    for (let count = 0; count < 10; count += 1)
      await expect(turnOffSecondFactor(session, PASSWORD, wrong(code), SEALING)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    await expect(turnOffSecondFactor(session, PASSWORD, code(), SEALING)).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
    });
  });
});

describe('a password', () => {
  const OTHER = 'quite another password';

  test('is changed with the current one: the old one stops working, other sessions end, this one stays', async () => {
    const email = await aPerson();
    const [session, other] = [await sessionOf(email), await sessionOf(email)];
    expect(await listSessions(session)).toHaveLength(2);
    const { token } = await changePassword(session, PASSWORD, OTHER);
    expect((await world.sessionOfToken(token)).principal.credentialId).toBe(session.principal.credentialId);
    expect((await listSessions(session)).map(({ id }) => id)).toEqual([session.principal.credentialId]);
    expect((await listSessions(session)).some(({ id }) => id === other.principal.credentialId)).toBe(false);
    await expect(enter(email)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect((await enter(email, OTHER)).session).not.toBeNull();
    expect(
      await world.rows('select act from audit_record where subject_id = $1 and act like $2', [
        session.principal.accountUserId,
        'account_user.p%',
      ]),
    ).toEqual([{ act: 'account_user.password_changed' }]);
  });

  test('a password that is changed leaves nothing that the old one opened: no session from the same moment, and no attempt that waits for a code', async () => {
    const email = await aPerson();
    const session = await sessionOf(email);
    const [entered] = await Promise.all([atOnce(8, () => enter(email)), changePassword(session, PASSWORD, OTHER)]);
    for (const { session: begun } of entered.values)
      expect(await identifyCaller(world.service, 'session', begun?.token ?? '', null)).toBeNull();

    const second = await aPerson();
    const { code } = await withSecondFactor(second);
    const [waiting, own] = [await attemptOf(second), await attemptOf(second)];
    const present = await world.sessionOfToken((await step(own, code(0))).session?.token ?? '');
    await changePassword(present, PASSWORD, OTHER);
    expect(await step(waiting, code(1))).toEqual({ session: null, guessesLeft: 0 });
  });

  test('a password that is changed revokes, on request, keys and devices added since a date, but no earlier ones', async () => {
    const email = await aPerson();
    const session = await sessionOf(email);
    const { accountUserId } = session.principal;
    const owner = await world.session();
    const key = async (context: typeof session, name: string, holder: string | null = null) =>
      (
        await createApiKey(
          context,
          { name, environment: 'test', preset: 'read', ...(holder !== null && { accountUserId: holder }) },
          SEALING,
        )
      ).apiKey.id;
    const [before, stolen, issued, others] = [
      await key(session, 'before'),
      await key(session, 'stolen'),
      await key(owner, 'issued'),
      await key(owner, 'others'),
    ];
    await world.rows("update api_key set created_at = now() - interval '1 day' where id = $1", [before]);
    await world.rows('update api_key set created_by = $2 where id = $1', [issued, accountUserId]);
    await changePassword(session, PASSWORD, OTHER, new Date(Date.now() - 3_600_000).toISOString());
    const revoked = await world.rows<{ id: string }>(
      'select id from api_key where revoked_at is not null and id = any($1::uuid[])',
      [[before, stolen, issued, others]],
    );
    expect(revoked.map(({ id }) => id).sort()).toEqual([stolen, issued].sort());
    await expect(changePassword(await sessionOf(await aPerson()), PASSWORD, OTHER, 'today')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  test('a password that is changed gives the session a new token: a copy of its cookie stops working', async () => {
    const before = (await enter(await aPerson())).session?.token ?? '';
    const { token } = await changePassword(await world.sessionOfToken(before), PASSWORD, OTHER);
    expect(await identifyCaller(world.service, 'session', before, null)).toBeNull();
    expect(await identifyCaller(world.service, 'session', token, null)).not.toBeNull();
  });

  test.each([
    ['short', 'seven77'],
    ['long', 'x'.repeat(257)],
  ])('a password that is too %s is refused as the new one', async (_, newPassword) => {
    const email = await aPerson();
    await expect(changePassword(await sessionOf(email), PASSWORD, newPassword)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/8 to 256/),
    });
    expect((await enter(email)).session).not.toBeNull();
  });

  test.each(['12345678', 'Password1!', 'person-9@example.com'])(
    'a password that is known from breaches is refused everywhere: %s',
    async (password) => {
      const email = 'person-9@example.com';
      await expect(createAccountUser(world.ofOurs, { email, password, role: 'member' })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
      await expect(
        createOrganization(world.operator, { name: 'Theirs', ownerEmail: email, ownerPassword: password }),
      ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
      if (!password.includes('@'))
        await expect(changePassword(await sessionOf(await aPerson()), PASSWORD, password)).rejects.toMatchObject({
          code: 'VALIDATION_ERROR',
        });
    },
  );

  test('can be guessed at most ten times in a session', async () => {
    const email = await aPerson();
    const session = await sessionOf(email);
    for (let guess = 0; guess < 10; guess++) {
      await expect(changePassword(session, `a wrong guess ${guess}`, OTHER)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        message: 'The current password is wrong',
      });
    }
    await expect(changePassword(session, PASSWORD, OTHER)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  });

  test('a password that is correct does not count towards the attempts of an hour', async () => {
    const session = await sessionOf(await aPerson());
    for (let time = 0; time < 12; time++) expect(await confirmOwnPassword(session, PASSWORD)).toBe(true);
    await expect(confirmOwnPassword(session, 'a wrong guess')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('a password of two concurrent changes, one succeeds', async () => {
    const email = await aPerson();
    const [one, two] = [await sessionOf(email), await sessionOf(email)];
    const outcomes = await Promise.allSettled(
      [one, two].map((session, index) => changePassword(session, PASSWORD, `${OTHER} ${index}`)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});
