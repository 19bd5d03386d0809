/**
 * Account users as managed by owners, admins and operators: permissions, access that ends at once, and that one owner
 * always remains.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { acceptInvitation } from '../../../../../subgraphs/identity/accounts/invitations/accept-invitation.operation.ts';
import { completePasswordReset } from '../../../../../subgraphs/identity/accounts/members/complete-password-reset.operation.ts';
import { confirmSecondFactor } from '../../../../../subgraphs/identity/sessions/second-factors/confirm-second-factor.operation.ts';
import { createAccountUser } from '../../../../../subgraphs/identity/accounts/members/create-account-user.operation.ts';
import { createApiKey } from '../../../../../subgraphs/identity/keys/create-api-key.operation.ts';
import { createOrganization } from '../../../../../subgraphs/identity/accounts/create-organization.operation.ts';
import { disableAccountUser } from '../../../../../subgraphs/identity/accounts/members/disable-account-user.operation.ts';
import { enableAccountUser } from '../../../../../subgraphs/identity/accounts/members/enable-account-user.operation.ts';
import { endAccountUserSessions } from '../../../../../subgraphs/identity/accounts/members/end-account-user-sessions.operation.ts';
import { findAccountUser } from '../../../../../subgraphs/identity/accounts/members/find-account-user.operation.ts';
import { getAccountUserRole } from '../../../../../subgraphs/identity/accounts/members/get-account-user-role.operation.ts';
import { identifyCaller } from '../../../../../subgraphs/identity/callers/identify-caller.operation.ts';
import { inviteAccountUser } from '../../../../../subgraphs/identity/accounts/invitations/invite-account-user.operation.ts';
import { listAccountUserSessions } from '../../../../../subgraphs/identity/accounts/members/list-account-user-sessions.operation.ts';
import { listAccountUsers } from '../../../../../subgraphs/identity/accounts/members/list-account-users.operation.ts';
import { listInvitations } from '../../../../../subgraphs/identity/accounts/invitations/list-invitations.operation.ts';
import { removeAccountUser } from '../../../../../subgraphs/identity/accounts/members/remove-account-user.operation.ts';
import { renameOrganization } from '../../../../../subgraphs/identity/accounts/members/rename-organization.operation.ts';
import { resetSecondFactor } from '../../../../../subgraphs/identity/accounts/members/reset-second-factor.operation.ts';
import { revokeInvitation } from '../../../../../subgraphs/identity/accounts/invitations/revoke-invitation.operation.ts';
import { setAccountUserRole } from '../../../../../subgraphs/identity/accounts/members/set-account-user-role.operation.ts';
import { setFiscalYear } from '../../../../../subgraphs/identity/accounts/members/set-fiscal-year.operation.ts';
import { getInvitation } from '../../../../../subgraphs/identity/accounts/invitations/get-invitation.operation.ts';
import { getPasswordReset } from '../../../../../subgraphs/identity/accounts/members/get-password-reset.operation.ts';
import { signIn } from '../../../../../subgraphs/identity/sessions/sign-in/sign-in.operation.ts';
import { startPasswordReset } from '../../../../../subgraphs/identity/accounts/members/start-password-reset.operation.ts';
import { startSecondFactor } from '../../../../../subgraphs/identity/sessions/second-factors/start-second-factor.operation.ts';
import { totpCode } from '../../../../support/totp-code.ts';
import { atOnce, BROWSER, type Identity, PASSWORD, SEALING, startIdentity } from '../../identity-builder.ts';

const APP = 'https://app.example.com';
const OTHER = 'quite another password';
const NOTHING_ISSUED = { issuedApiKeys: 0, invitations: 0, passwordResets: 0 };

let world: Identity;
beforeAll(async () => {
  world = await startIdentity();
});
afterAll(() => world.close());

async function aPerson(
  role = 'member',
  context: SubgraphContext = world.ofOurs,
): Promise<{ id: string; email: string }> {
  const email = `${role}-${randomUUID()}@example.com`;
  return { id: (await createAccountUser(context, { email, password: PASSWORD, role })).userId, email };
}

const enter = (email: string, password = PASSWORD) => signIn(world.service, { email, password, ...BROWSER });
async function sessionOf(email: string): Promise<SubgraphContext & { token: string }> {
  const token = (await enter(email)).session?.token ?? '';
  return { ...(await world.sessionOfToken(token)), token };
}
const opens = async (kind: 'session' | 'bearer', token: string): Promise<boolean> =>
  (await identifyCaller(world.service, kind, token, null)) !== null;
const aKey = async (accountUserId: string) =>
  (await createApiKey(world.ofOurs, { name: 'k', environment: 'live', preset: 'read', accountUserId }, SEALING)).secret;
const stateOf = async (id: string) => (await listAccountUsers(world.ofOurs)).find((user) => user.id === id);
const actsOn = async (id: string) =>
  (await world.rows<{ act: string }>('select act from audit_record where subject_id = $1 order by id', [id])).map(
    ({ act }) => act,
  );
const tokenOf = (url: string): string => new URL(url).hash.slice(1);

/** Every action on an account, by every kind of caller. */
const ACTIONS: readonly [
  string,
  (context: SubgraphContext, id: string, ownPassword?: string | null) => Promise<unknown>,
][] = [
  ['disable', disableAccountUser],
  ['enable', enableAccountUser],
  ['remove', removeAccountUser],
  ['sign out', (context, id, ownPassword) => endAccountUserSessions(context, id, null, ownPassword)],
  ['reset the password', (context, id, ownPassword) => startPasswordReset(context, id, APP, ownPassword)],
  ['reset the second factor', resetSecondFactor],
  ['change the role', (context, id) => setAccountUserRole(context, id, 'member')],
];

describe.each(ACTIONS)('to %s', (name, act) => {
  test("is not allowed on the caller's own account, with an old sign-in, in another organization, or on a missing account", async () => {
    const owner = await world.session();
    const { id } = await aPerson();
    await expect(act(owner, owner.principal.accountUserId ?? '')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('your own account'),
    });
    for (const unknownId of [randomUUID(), 'nobody'])
      await expect(act(owner, unknownId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { organization } = await createOrganization(world.operator, {
      name: 'Theirs',
      ownerEmail: `theirs-${randomUUID()}@example.com`,
      ownerPassword: PASSWORD,
    });
    const theirs = world.contextOf({ ...world.operator.principal, organizationId: organization.id });
    await expect(act(theirs, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await world.rows("update session set signed_in_at = now() - interval '11 minutes' where id = $1", [
      owner.principal.credentialId,
    ]);
    await expect(act(owner, id)).rejects.toMatchObject({ code: 'FORBIDDEN', details: { actionHint: 'SIGN_IN_AGAIN' } });
    expect(await stateOf(id)).toMatchObject({ role: 'MEMBER', disabledAt: null });
  });

  test('is allowed to an admin only on members, and to an operator who has only the id', async () => {
    const admin = await sessionOf((await aPerson('admin')).email);
    for (const role of ['owner', 'admin'])
      await expect(act(admin, (await aPerson(role)).id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    if (name !== 'change the role') await act(admin, (await aPerson()).id);
    await act(world.operator, (await aPerson()).id);
  });
});

describe('a disabled account user', () => {
  test('is signed out at once: no session, no key, no sign-in; after enabling, only the sign-in works again', async () => {
    const { id, email } = await aPerson();
    const [{ token }, key, owner] = [await sessionOf(email), await aKey(id), await world.session()];
    expect([await opens('session', token), await opens('bearer', key)]).toEqual([true, true]);
    expect(await disableAccountUser(owner, id)).toEqual({ sessions: 1, apiKeys: 1, ...NOTHING_ISSUED });
    expect([await opens('session', token), await opens('bearer', key)]).toEqual([false, false]);
    await expect(enter(email)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(aKey(id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await disableAccountUser(owner, id)).toEqual({ sessions: 0, apiKeys: 0, ...NOTHING_ISSUED });
    expect(await stateOf(id)).toMatchObject({ disabledAt: expect.any(Date) });

    expect([await enableAccountUser(owner, id), await enableAccountUser(owner, id)]).toEqual([true, false]);
    expect([await opens('session', token), await opens('bearer', key)]).toEqual([false, false]);
    expect((await enter(email)).session).not.toBeNull();
    expect(await actsOn(id)).toEqual([
      'account_user.created',
      'account_user.disabled',
      'sign_in.failed',
      'account_user.enabled',
    ]);
  });

  test('keeps nothing that was created while it was being disabled', async () => {
    const { id, email } = await aPerson();
    const [made, entered] = await Promise.all([
      atOnce(8, () => aKey(id)),
      atOnce(4, () => enter(email)),
      disableAccountUser(world.ofOurs, id),
    ]);
    for (const key of made.values) expect(await opens('bearer', key)).toBe(false);
    for (const { session } of entered.values) expect(await opens('session', session?.token ?? '')).toBe(false);
  });
});

test('a removed account user is gone, with all its access; its address is free again', async () => {
  const { id, email } = await aPerson('admin');
  const begun = await sessionOf(email);
  const { secret } = await startSecondFactor(begun, SEALING, 'books', PASSWORD);
  const { token } = (await confirmSecondFactor(begun, totpCode(secret), SEALING)).session;
  const [key, owner] = [await aKey(id), await world.session()];
  const { url } = await startPasswordReset(owner, id, APP);
  expect(await removeAccountUser(owner, id)).toEqual({ sessions: 1, apiKeys: 1, ...NOTHING_ISSUED });
  for (const table of ['second_factor', 'recovery_code', 'passkey'])
    expect(await world.rows(`select 1 from ${table} where account_user_id = $1`, [id])).toEqual([]);
  expect([
    await opens('session', token),
    await opens('bearer', key),
    await getPasswordReset(world.service, tokenOf(url)),
    await stateOf(id),
  ]).toEqual([false, false, null, undefined]);
  await expect(
    completePasswordReset(world.service, { token: tokenOf(url), password: OTHER, address: '' }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(enter(email)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect((await createAccountUser(world.ofOurs, { email, password: PASSWORD, role: 'member' })).userId).not.toBe(id);
  expect((await actsOn(id)).at(-1)).toBe('account_user.removed');
});

describe('roles', () => {
  test('change at once, including in an open session', async () => {
    const { id, email } = await aPerson();
    const { token } = await sessionOf(email);
    expect([
      await setAccountUserRole(await world.session(), id, 'admin'),
      await setAccountUserRole(await world.session(), id, 'admin'),
    ]).toEqual([{ invitations: 0, passwordResets: 0, issuedApiKeys: 0 }, null]);
    expect((await world.sessionOfToken(token)).principal.grants).toContain('admin');
    await expect(setAccountUserRole(world.ofOurs, id, 'king')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const [{ detail } = { detail: '' }] = await world.rows<{ detail: string }>(
      "select detail from audit_record where subject_id = $1 and act = 'account_user.role_changed'",
      [id],
    );
    expect(detail).toBe(`${email}: member to admin`);
  });

  test.each<[string, (context: SubgraphContext, id: string) => Promise<unknown>]>([
    ['demoted', (context, id) => setAccountUserRole(context, id, 'admin')],
    ['disabled', disableAccountUser],
    ['removed', removeAccountUser],
  ])('the last owner cannot be %s, even if two owners leave at once', async (_, act) => {
    const { organization, ownerUserId } = await createOrganization(world.operator, {
      name: 'Last',
      ownerEmail: `last-${randomUUID()}@example.com`,
      ownerPassword: PASSWORD,
    });
    const theirs = world.contextOf({ ...world.operator.principal, organizationId: organization.id });
    await expect(act(theirs, ownerUserId)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('at least one owner'),
    });
    const second = await aPerson('owner', theirs);
    const outcomes = await Promise.allSettled([ownerUserId, second.id].map((id) => act(theirs, id)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(
      (await listAccountUsers(theirs)).filter(({ role, disabledAt }) => role === 'OWNER' && disabledAt === null),
    ).toHaveLength(1);
  });

  test('changing another owner or admin needs a sign-in within the last ten minutes', async () => {
    const owner = await world.session();
    await world.rows("update session set signed_in_at = now() - interval '11 minutes' where id = $1", [
      owner.principal.credentialId,
    ]);
    const wish = { email: `new-${randomUUID()}@example.com`, password: PASSWORD };
    for (const role of ['owner', 'admin'])
      await expect(createAccountUser(owner, { ...wish, role, ownPassword: PASSWORD })).rejects.toMatchObject({
        code: 'FORBIDDEN',
        details: { actionHint: 'SIGN_IN_AGAIN' },
      });
    await createAccountUser(owner, { ...wish, role: 'member' });
  });
});

describe('a copied cookie, however recent, does not create an owner', () => {
  const email = () => `new-${randomUUID()}@example.com`;
  test.each<[string, (context: SubgraphContext, ownPassword: string | null) => Promise<unknown>]>([
    ...ACTIONS.filter(([name]) => name !== 'change the role').map(
      ([name, act]): [string, (context: SubgraphContext, ownPassword: string | null) => Promise<unknown>] => [
        `to ${name} of an owner`,
        async (context, ownPassword) => act(context, (await aPerson('owner')).id, ownPassword),
      ],
    ),
    [
      'to take the role from an owner',
      async (context, password) => setAccountUserRole(context, (await aPerson('owner')).id, 'member', password),
    ],
    [
      'to give the role to a member',
      async (context, password) => setAccountUserRole(context, (await aPerson()).id, 'owner', password),
    ],
    [
      'to add an owner',
      (context, ownPassword) =>
        createAccountUser(context, { email: email(), password: PASSWORD, role: 'owner', ownPassword }),
    ],
    [
      'to invite an owner',
      (context, ownPassword) => inviteAccountUser(context, { email: email(), role: 'owner', ownPassword }, APP),
    ],
  ])("%s requires the caller's own password", async (_, act) => {
    const owner = await world.session();
    await expect(act(owner, null)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      details: { actionHint: 'TYPE_OWN_PASSWORD' },
    });
    await expect(act(owner, 'not the password')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await act(owner, PASSWORD);
  });
});

test('sessions of others are listed and ended, one or all', async () => {
  const { id, email } = await aPerson();
  const [owner, one, two, three] = [
    await world.session(),
    await sessionOf(email),
    await sessionOf(email),
    await sessionOf(email),
  ];
  expect((await listAccountUserSessions(owner, id)).map(({ current, address }) => ({ current, address }))).toEqual(
    Array.from({ length: 3 }, () => ({ current: false, address: BROWSER.address })),
  );
  expect(await endAccountUserSessions(owner, id, one.principal.credentialId)).toBe(1);
  expect(await endAccountUserSessions(owner, id, one.principal.credentialId)).toBe(0);
  expect(await endAccountUserSessions(owner, id, owner.principal.credentialId)).toBe(0);
  expect([await opens('session', one.token), await opens('session', two.token)]).toEqual([false, true]);
  expect(await endAccountUserSessions(owner, id, null)).toBe(2);
  expect(await opens('session', three.token)).toBe(false);
  const admin = await sessionOf((await aPerson('admin')).email);
  await expect(listAccountUserSessions(admin, owner.principal.accountUserId ?? '')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('an operator finds an account user by any spelling of its address, or by its id', async () => {
  const { id, email } = await aPerson();
  for (const found of [
    await findAccountUser(world.operator, null, ` ${email.toUpperCase()}`),
    await findAccountUser(world.operator, id, null),
  ])
    expect(found).toMatchObject({ id, email, organizationId: world.organizationId });
  for (const [one, address] of [
    [randomUUID(), null],
    ['x', null],
    [null, 'x'],
    [null, 'nobody@example.com'],
  ])
    expect(await findAccountUser(world.operator, one ?? null, address ?? null)).toBeNull();
  await expect(findAccountUser(world.operator, null, null)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('the role of an account user is known in its organization, until it is disabled', async () => {
  const { id } = await aPerson('admin');
  expect(await getAccountUserRole(world.ofOurs, id)).toBe('ADMIN');
  const { organization } = await createOrganization(world.operator, {
    name: 'Others',
    ownerEmail: `others-${randomUUID()}@example.com`,
    ownerPassword: PASSWORD,
  });
  const others = world.contextOf({ ...world.operator.principal, organizationId: organization.id });
  expect([await getAccountUserRole(others, id), await findAccountUser(others, id, null)]).toEqual([null, null]);
  await disableAccountUser(world.ofOurs, id);
  expect(await getAccountUserRole(world.ofOurs, id)).toBeNull();
  expect(await getAccountUserRole(world.ofOurs, 'nobody')).toBeNull();
});

test('the name of the organization is recorded when it changes', async () => {
  const renamed = async () =>
    (await world.rows("select 1 from audit_record where act = 'organization.renamed'")).length;
  await renameOrganization(world.ofOurs, ' Ours again ');
  await renameOrganization(world.ofOurs, 'Ours again');
  expect(await renamed()).toBe(1);
  await renameOrganization(world.ofOurs, 'Ours');
});

test.each([0, 13, 1.5, -1])('a fiscal year does not begin in month %d', async (month) => {
  await expect(async () => setFiscalYear(world.ofOurs, month)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect((await setFiscalYear(world.ofOurs, 12)).fiscalYearStart).toBe(12);
  expect((await setFiscalYear(world.ofOurs, 1)).fiscalYearStart).toBe(1);
});

describe('a link for setting a new password', () => {
  const use = (token: string, password = OTHER) =>
    completePasswordReset(world.service, { token, password, address: '203.0.113.5' });

  test('works once, ends every session, and leaves the old password until then', async () => {
    const { id, email } = await aPerson();
    const { token: session } = await sessionOf(email);
    const { url, expiresAt } = await startPasswordReset(await world.session(), id, APP);
    expect(url).toMatch(/^https:\/\/app\.example\.com\/sign-in\/new-password#[\w-]{43}$/);
    expect(await getPasswordReset(world.service, tokenOf(url))).toEqual({ email, expiresAt });
    expect([await opens('session', session), (await enter(email)).session !== null]).toEqual([true, true]);
    for (const password of ['short', 'password1', email])
      await expect(use(tokenOf(url), password)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const { values, errors } = await atOnce(6, () => use(tokenOf(url)));
    expect([values.length, errors.length]).toEqual([1, 5]);
    expect(errors[0]).toMatchObject({ code: 'NOT_FOUND' });
    expect([await opens('session', session), await getPasswordReset(world.service, tokenOf(url))]).toEqual([
      false,
      null,
    ]);
    await expect(enter(email)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect((await enter(email, OTHER)).session).not.toBeNull();
    expect(await actsOn(id)).toEqual(
      expect.arrayContaining(['account_user.password_reset_started', 'account_user.password_reset']),
    );
    const rows = await world.rows<{ row: string }>('select to_json(password_reset)::text as row from password_reset');
    expect(rows.some(({ row }) => row.includes(tokenOf(url)))).toBe(false);
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    [
      'a day',
      () =>
        world.rows('update password_reset set expires_at = now() - make_interval(secs => 1) where consumed_at is null'),
    ],
    ['a newer one', (id) => startPasswordReset(world.ofOurs, id, APP)],
    ['the account is disabled', (id) => disableAccountUser(world.ofOurs, id)],
    [
      'the account was disabled for a time',
      async (id) => {
        await disableAccountUser(world.ofOurs, id);
        await enableAccountUser(world.ofOurs, id);
      },
    ],
  ])('is invalid after %s', async (_, change) => {
    const { id } = await aPerson();
    const { url } = await startPasswordReset(world.ofOurs, id, APP);
    await change(id);
    expect(await getPasswordReset(world.service, tokenOf(url))).toBeNull();
    await expect(use(tokenOf(url))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('does not bypass a second factor, which is reset separately', async () => {
    const { id, email } = await aPerson();
    const session = await sessionOf(email);
    const { secret } = await startSecondFactor(session, SEALING, 'books', PASSWORD);
    await confirmSecondFactor(session, totpCode(secret), SEALING);
    await use(tokenOf((await startPasswordReset(world.ofOurs, id, APP)).url));
    expect(await enter(email, OTHER)).toMatchObject({ session: null, attempt: { token: expect.any(String) } });
    expect(await stateOf(id)).toMatchObject({ hasSecondFactor: true });
    expect([await resetSecondFactor(world.ofOurs, id), await resetSecondFactor(world.ofOurs, id)]).toEqual([
      true,
      false,
    ]);
    expect((await enter(email, OTHER)).session).not.toBeNull();
    expect(await actsOn(id)).toContain('second_factor.reset');
  });

  test('leaves no session and no recovery code when the second factor is reset', async () => {
    const { id, email } = await aPerson();
    const session = await sessionOf(email);
    const { secret } = await startSecondFactor(session, SEALING, 'books', PASSWORD);
    const { session: renewed } = await confirmSecondFactor(session, totpCode(secret), SEALING);
    await resetSecondFactor(world.ofOurs, id);
    expect(await opens('session', renewed.token)).toBe(false);
    expect(await world.rows('select 1 from recovery_code where account_user_id = $1', [id])).toEqual([]);
  });

  test('leaves no session that was opened with the old password at the same moment', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id, email } = await aPerson();
      const token = tokenOf((await startPasswordReset(world.ofOurs, id, APP)).url);
      const [entered] = await Promise.all([atOnce(8, () => enter(email)), use(token)]);
      const alive = await Promise.all(entered.values.map(({ session }) => opens('session', session?.token ?? '')));
      expect(alive.filter(Boolean)).toEqual([]);
    }
  });

  test.each(['', 'x', 'x'.repeat(43), `${'x'.repeat(42)}\0`])('is not %j', async (token) => {
    expect(await getPasswordReset(world.service, token)).toBeNull();
    await expect(use(token)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('an invitation', () => {
  const accept = (token: string, password = OTHER) =>
    acceptInvitation(world.service, { token, password, address: '203.0.113.6' });
  const invite = async (email = `invited-${randomUUID()}@example.com`, role = 'member', context?: SubgraphContext) =>
    inviteAccountUser(context ?? (await world.session()), { email, role, ownPassword: PASSWORD }, APP);

  test("creates one account with the invited person's password, even if used concurrently", async () => {
    const { url, invitation } = await invite(undefined, 'admin');
    expect(url).toMatch(/^https:\/\/app\.example\.com\/sign-in\/invitation#[\w-]{43}$/);
    expect(await getInvitation(world.service, tokenOf(url))).toEqual({
      organizationName: 'Ours',
      email: invitation.email,
      role: 'admin',
      expiresAt: invitation.expiresAt,
    });
    expect((await listInvitations(world.ofOurs))[0]).toEqual(invitation);
    await expect(accept(tokenOf(url), '12345678')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const { values, errors } = await atOnce(6, () => accept(tokenOf(url)));
    expect([values.length, errors.length]).toEqual([1, 5]);
    expect((await sessionOfPassword(invitation.email)).principal.grants).toContain('admin');
    expect((await listInvitations(world.ofOurs)).some(({ id }) => id === invitation.id)).toBe(false);
    expect(await actsOn(invitation.id)).toEqual(['invitation.created', 'invitation.accepted']);
  });

  const sessionOfPassword = async (email: string) =>
    world.sessionOfToken((await enter(email, OTHER)).session?.token ?? '');

  test.each<[string, (id: string, email: string) => Promise<unknown>]>([
    [
      'a week',
      (id) => world.rows('update invitation set expires_at = now() - make_interval(secs => 1) where id = $1', [id]),
    ],
    [
      'it is revoked',
      async (id) => {
        expect([await revokeInvitation(world.ofOurs, id), await revokeInvitation(world.ofOurs, id)]).toEqual([
          true,
          false,
        ]);
      },
    ],
    ['a newer one of the same address', (_id, email) => invite(` ${email.toUpperCase()}`)],
  ])('is invalid after %s', async (_, change) => {
    const { url, invitation } = await invite();
    await change(invitation.id, invitation.email);
    expect(await getInvitation(world.service, tokenOf(url))).toBeNull();
    await expect(accept(tokenOf(url))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('an invitation for an address with an account is refused here; elsewhere only the holder of the link learns it', async () => {
    await expect(invite((await aPerson()).email)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const ownerEmail = `elsewhere-${randomUUID()}@example.com`;
    await createOrganization(world.operator, { name: 'Elsewhere', ownerEmail, ownerPassword: PASSWORD });
    const { url } = await invite(ownerEmail);
    await expect(accept(tokenOf(url))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('already'),
    });
    expect(await getInvitation(world.service, tokenOf(url))).not.toBeNull();
  });

  test('an invitation for an owner or admin cannot be created or revoked by an admin', async () => {
    const admin = await sessionOf((await aPerson('admin')).email);
    for (const role of ['owner', 'admin'])
      await expect(invite(undefined, role, admin)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const {
      invitation: { id },
    } = await invite(undefined, 'owner');
    await expect(revokeInvitation(admin, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await invite(undefined, 'member', admin)).invitation.invitedBy).toBe(admin.principal.accountUserId);
    await world.rows("update session set signed_in_at = now() - interval '11 minutes' where id = $1", [
      admin.principal.credentialId,
    ]);
    await expect(invite(undefined, 'member', admin)).rejects.toMatchObject({
      details: { actionHint: 'SIGN_IN_AGAIN' },
    });
  });
});

test('members, API keys and services cannot manage account users, and the links are only for our own pages', async () => {
  const id = randomUUID();
  const codeOf = async (document: string, context: SubgraphContext) =>
    (await world.graphql(document, {}, context)).errors?.[0]?.extensions?.['code'];
  const managed = [
    '{ accountUsers { id } }',
    '{ invitations { id } }',
    `{ accountUserSessions(id: "${id}") { id } }`,
    `mutation { accountUserDisable(input: { id: "${id}" }) { endedAccess { sessions } userErrors { message } } }`,
    `mutation { accountUserEnable(input: { id: "${id}" }) { hasChanged userErrors { message } } }`,
    `mutation { accountUserRemove(input: { id: "${id}" }) { endedAccess { sessions } userErrors { message } } }`,
    `mutation { accountUserEndSessions(input: { id: "${id}" }) { hasChanged userErrors { message } } }`,
    `mutation { accountUserStartPasswordReset(input: { id: "${id}" }) { link { url } userErrors { message } } }`,
    `mutation { accountUserResetSecondFactor(input: { id: "${id}" }) { hasChanged userErrors { message } } }`,
    `mutation { accountUserSetRole(input: { id: "${id}", role: "owner" }) { hasChanged userErrors { message } } }`,
    'mutation { accountUserInvite(input: { email: "a@example.com" }) { createdInvitation { url } userErrors { message } } }',
    `mutation { invitationRevoke(input: { id: "${id}" }) { hasChanged userErrors { message } } }`,
  ];
  const member = await world.session('member');
  for (const document of managed)
    for (const context of [member, world.service])
      expect([document, await codeOf(document, context)]).toEqual([document, 'FORBIDDEN']);
  const ours = [
    '{ invitation(token: "x") { email } }',
    '{ passwordReset(token: "x") { email } }',
    'mutation { acceptInvitation(token: "x", password: "x", address: "") { userId } }',
    'mutation { completePasswordReset(token: "x", password: "x", address: "") }',
  ];
  for (const document of ours)
    for (const context of [member, await world.session(), world.operator])
      expect([document, await codeOf(document, context)]).toEqual([document, 'FORBIDDEN']);
  expect(await codeOf('{ accountUser(email: "a@example.com") { id } }', await world.session())).toBe('FORBIDDEN');
});
