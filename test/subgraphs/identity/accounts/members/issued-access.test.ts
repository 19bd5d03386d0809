/**
 * A person who loses the right to issue invitations, reset links or API keys in other people's names also loses those
 * that are already issued.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { acceptInvitation } from '../../../../../subgraphs/identity/accounts/invitations/accept-invitation.operation.ts';
import { getInvitation } from '../../../../../subgraphs/identity/accounts/invitations/get-invitation.operation.ts';
import { inviteAccountUser } from '../../../../../subgraphs/identity/accounts/invitations/invite-account-user.operation.ts';
import { listInvitations } from '../../../../../subgraphs/identity/accounts/invitations/list-invitations.operation.ts';
import { completePasswordReset } from '../../../../../subgraphs/identity/accounts/members/complete-password-reset.operation.ts';
import { createAccountUser } from '../../../../../subgraphs/identity/accounts/members/create-account-user.operation.ts';
import { disableAccountUser } from '../../../../../subgraphs/identity/accounts/members/disable-account-user.operation.ts';
import { getPasswordReset } from '../../../../../subgraphs/identity/accounts/members/get-password-reset.operation.ts';
import { listIssued } from '../../../../../subgraphs/identity/accounts/members/list-issued.operation.ts';
import { removeAccountUser } from '../../../../../subgraphs/identity/accounts/members/remove-account-user.operation.ts';
import { setAccountUserRole } from '../../../../../subgraphs/identity/accounts/members/set-account-user-role.operation.ts';
import { startPasswordReset } from '../../../../../subgraphs/identity/accounts/members/start-password-reset.operation.ts';
import { identifyCaller } from '../../../../../subgraphs/identity/callers/identify-caller.operation.ts';
import { createApiKey } from '../../../../../subgraphs/identity/keys/create-api-key.operation.ts';
import { rotateApiKey } from '../../../../../subgraphs/identity/keys/rotate-api-key.operation.ts';
import { signIn } from '../../../../../subgraphs/identity/sessions/sign-in/sign-in.operation.ts';
import { BROWSER, type Identity, PASSWORD, SEALING, startIdentity } from '../../identity-builder.ts';

const APP = 'https://app.example.com';
const OTHER = 'quite another password';

let world: Identity;
beforeAll(async () => {
  world = await startIdentity();
});
afterAll(() => world.close());

interface Person {
  readonly id: string;
  readonly email: string;
  readonly session: SubgraphContext;
}

async function aPerson(role: 'owner' | 'admin' | 'member' | 'finance' | 'viewer'): Promise<Person> {
  const email = `${role}-${randomUUID()}@example.com`;
  const { userId } = await createAccountUser(world.ofOurs, { email, password: PASSWORD, role });
  const { session } = await signIn(world.service, { email, password: PASSWORD, ...BROWSER });
  return { id: userId, email, session: await world.sessionOfToken(session?.token ?? '') };
}

const tokenOf = (url: string): string => /[\w-]{43}$/.exec(url)?.[0] ?? '';
const accept = (url: string) =>
  acceptInvitation(world.service, { token: tokenOf(url), password: OTHER, address: '203.0.113.6' });
const reset = (url: string) =>
  completePasswordReset(world.service, { token: tokenOf(url), password: OTHER, address: '203.0.113.6' });
const opens = async (key: string): Promise<boolean> =>
  (await identifyCaller(world.service, 'bearer', key, null)) !== null;
const rowsOf = (subjectId: string) =>
  world.rows<{ act: string }>('select act from audit_record where subject_id = $1 order by id', [subjectId]);

/** Everything that `issuer` can issue to a person with this role. */
async function issue({ session }: Pick<Person, 'session'>, role: 'owner' | 'admin' | 'member') {
  const target = await aPerson(role);
  const { url, invitation } = await inviteAccountUser(
    session,
    { email: `invited-${randomUUID()}@example.com`, role, ownPassword: PASSWORD },
    APP,
  );
  const link = await startPasswordReset(session, target.id, APP, PASSWORD);
  const key = await createApiKey(
    session,
    { name: 'Deployment', environment: 'live', preset: 'read', accountUserId: target.id },
    SEALING,
  );
  return { target, invitation, invitationUrl: url, resetUrl: link.url, key: key.secret, keyId: key.apiKey.id };
}
type Issued = Awaited<ReturnType<typeof issue>>;

/** True if each of them still works. */
const worksOf = async ({ invitationUrl, resetUrl, key }: Issued) => ({
  invitation: (await getInvitation(world.service, tokenOf(invitationUrl))) !== null,
  reset: (await getPasswordReset(world.service, tokenOf(resetUrl))) !== null,
  key: await opens(key),
});
const ALL = { invitation: true, reset: true, key: true };
const NONE = { invitation: false, reset: false, key: false };

const OFFBOARDING: readonly [string, (id: string) => Promise<unknown>][] = [
  ['removed', async (id) => removeAccountUser(await world.session(), id, PASSWORD)],
  ['disabled', async (id) => disableAccountUser(await world.session(), id, PASSWORD)],
  ['made a member', async (id) => setAccountUserRole(await world.session(), id, 'member', PASSWORD)],
];

describe.each(OFFBOARDING)('an owner who is %s', (_, offboard) => {
  test("leaves no working invitation, reset link, or key that is in another person's name", async () => {
    const leaver = await aPerson('owner');
    const issued = [await issue(leaver, 'owner'), await issue(leaver, 'member')];
    for (const one of issued) expect(await worksOf(one)).toEqual(ALL);
    await offboard(leaver.id);
    for (const one of issued) {
      expect(await worksOf(one)).toEqual(NONE);
      await expect(accept(one.invitationUrl)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(reset(one.resetUrl)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await rowsOf(one.keyId)).map(({ act }) => act)).toEqual(['api_key.created', 'api_key.revoked']);
      expect((await rowsOf(one.invitation.id)).map(({ act }) => act)).toEqual([
        'invitation.created',
        'invitation.revoked',
      ]);
    }
  });

  test('leaves nothing that works even if the revocation never ran, since the role is checked at redemption', async () => {
    const leaver = await aPerson('owner');
    const one = await issue(leaver, 'member');
    await offboard(leaver.id);
    await world.rows('update invitation set revoked_at = null where id = $1', [one.invitation.id]);
    await world.rows('update password_reset set consumed_at = null where account_user_id = $1', [one.target.id]);
    expect(await worksOf(one)).toEqual(NONE);
    await expect(accept(one.invitationUrl)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(reset(one.resetUrl)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await listInvitations(world.ofOurs)).map(({ id }) => id)).not.toContain(one.invitation.id);
  });
});

test('an owner who becomes an admin keeps what an admin may issue', async () => {
  const leaver = await aPerson('owner');
  const [toOwner, toAdmin, toMember] = [
    await issue(leaver, 'owner'),
    await issue(leaver, 'admin'),
    await issue(leaver, 'member'),
  ];
  await setAccountUserRole(await world.session(), leaver.id, 'admin', PASSWORD);
  for (const one of [toOwner, toAdmin]) expect(await worksOf(one)).toEqual({ ...NONE, key: true });
  expect(await worksOf(toMember)).toEqual(ALL);
});

test("a promotion revokes nothing, and an admin's reset link does not survive the promotion of its target", async () => {
  const admin = await aPerson('admin');
  const one = await issue(admin, 'member');
  await setAccountUserRole(await world.session(), admin.id, 'owner', PASSWORD);
  expect(await worksOf(one)).toEqual(ALL);
  await setAccountUserRole(await world.session(), admin.id, 'admin', PASSWORD);
  await setAccountUserRole(await world.session(), one.target.id, 'owner', PASSWORD);
  expect(await worksOf(one)).toEqual({ ...ALL, reset: false });
});

test('links and keys issued by an operator remain valid for ever', async () => {
  const one = await issue({ session: world.ofOurs }, 'member');
  await removeAccountUser(world.ofOurs, (await aPerson('owner')).id);
  expect(await worksOf(one)).toEqual(ALL);
  await accept(one.invitationUrl);
  await reset(one.resetUrl);
});

test("keys in other people's names stay if that is requested; links end anyway, and the response counts what ended", async () => {
  const leaver = await aPerson('admin');
  const one = await issue(leaver, 'member');
  const ended = await disableAccountUser(await world.session(), leaver.id, null, { revokeIssuedKeys: false });
  expect(ended).toEqual({ sessions: 1, apiKeys: 0, invitations: 1, passwordResets: 1, issuedApiKeys: 0 });
  expect(await worksOf(one)).toEqual({ ...NONE, key: true });
  expect(await removeAccountUser(await world.session(), leaver.id)).toMatchObject({ issuedApiKeys: 1 });
  expect(await opens(one.key)).toBe(false);
});

test('a key that somebody rotated in another name counts as issued by that person, who has seen it', async () => {
  const [leaver, holder] = [await aPerson('admin'), await aPerson('member')];
  const own = await createApiKey(holder.session, { name: 'Own', environment: 'live', preset: 'read' }, SEALING);
  const { apiKey } = await rotateApiKey(leaver.session, own.apiKey.id, SEALING);
  await removeAccountUser(await world.session(), leaver.id);
  expect(await opens(apiKey)).toBe(false);
});

test("nobody issues a key in another person's name while losing the right to do so", async () => {
  for (let round = 0; round < 4; round += 1) {
    const [leaver, holder] = [await aPerson('admin'), await aPerson('member')];
    const make = () =>
      createApiKey(
        leaver.session,
        { name: 'Late', environment: 'live', preset: 'read', accountUserId: holder.id },
        SEALING,
      );
    const made = await Promise.allSettled([
      setAccountUserRole(world.ofOurs, leaver.id, 'member'),
      ...Array.from({ length: 6 }, make),
    ]);
    const keys = made.flatMap((one) =>
      one.status === 'fulfilled' && one.value !== null && 'secret' in one.value ? [one.value.secret] : [],
    );
    for (const key of keys) expect(await opens(key)).toBe(false);
  }
});

test('the list for the removal page contains open items, for those who manage the person', async () => {
  const leaver = await aPerson('admin');
  const one = await issue(leaver, 'member');
  const issued = await listIssued(await world.session(), leaver.id);
  expect(issued.map(({ kind, email, name }) => ({ kind, email, name }))).toEqual([
    { kind: 'API_KEY', email: one.target.email, name: 'Deployment' },
    { kind: 'PASSWORD_RESET', email: one.target.email, name: null },
    { kind: 'INVITATION', email: one.invitation.email, name: null },
  ]);
  // Expired items are not open.
  await world.rows("update api_key set expires_at = now() - interval '1 second' where created_by = $1", [leaver.id]);
  expect((await listIssued(await world.session(), leaver.id)).map(({ kind }) => kind)).toEqual([
    'PASSWORD_RESET',
    'INVITATION',
  ]);
  const admin = await aPerson('admin');
  for (const id of [leaver.id, randomUUID(), 'nobody'])
    await expect(listIssued(admin.session, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await disableAccountUser(world.ofOurs, leaver.id);
  expect(await listIssued(await world.session(), leaver.id)).toEqual([]);
});

test.each(['viewer', 'finance'] as const)(
  'an account user who becomes %s loses its own keys, and gets no others',
  async (role) => {
    const [owner, person] = [await aPerson('owner'), await aPerson('member')];
    const request = { name: 'Own', environment: 'live', preset: 'read', accountUserId: person.id } as const;
    const own = await createApiKey(person.session, { ...request }, SEALING);
    const given = await createApiKey(owner.session, { ...request, name: 'Given' }, SEALING);
    await setAccountUserRole(world.ofOurs, person.id, role, null, { revokeIssuedKeys: false });
    expect([await opens(own.secret), await opens(given.secret)]).toEqual([false, false]);
    await expect(createApiKey(owner.session, { ...request }, SEALING)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: `An account user with the role ${role} cannot have API keys`,
    });
    await expect(createApiKey(world.ofOurs, { ...request }, SEALING)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  },
);

test('admins manage members and viewers, but neither finance nor owners', async () => {
  const admin = await aPerson('admin');
  const invite = (role: string) =>
    inviteAccountUser(
      admin.session,
      { email: `invited-${randomUUID()}@example.com`, role, ownPassword: PASSWORD },
      APP,
    );
  const { url } = await invite('viewer');
  expect((await accept(url)) satisfies object).toBeDefined();
  for (const role of ['finance', 'owner']) await expect(invite(role)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
