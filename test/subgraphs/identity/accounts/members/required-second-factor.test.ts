/** Organizations that require a second factor: users without one can only set one up. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { createAccountUser } from '../../../../../subgraphs/identity/accounts/members/create-account-user.operation.ts';
import { requireSecondFactor } from '../../../../../subgraphs/identity/accounts/members/require-second-factor.operation.ts';
import { resetSecondFactor } from '../../../../../subgraphs/identity/accounts/members/reset-second-factor.operation.ts';
import { createOrganization } from '../../../../../subgraphs/identity/accounts/create-organization.operation.ts';
import { getOrganization } from '../../../../../subgraphs/identity/accounts/get-organization.operation.ts';
import { identifyCaller } from '../../../../../subgraphs/identity/callers/identify-caller.operation.ts';
import { createApiKey } from '../../../../../subgraphs/identity/keys/create-api-key.operation.ts';
import { confirmPasskey } from '../../../../../subgraphs/identity/sessions/passkeys/confirm-passkey.operation.ts';
import { removePasskey } from '../../../../../subgraphs/identity/sessions/passkeys/remove-passkey.operation.ts';
import { startPasskey } from '../../../../../subgraphs/identity/sessions/passkeys/start-passkey.operation.ts';
import { confirmSecondFactor } from '../../../../../subgraphs/identity/sessions/second-factors/confirm-second-factor.operation.ts';
import { startSecondFactor } from '../../../../../subgraphs/identity/sessions/second-factors/start-second-factor.operation.ts';
import { turnOffSecondFactor } from '../../../../../subgraphs/identity/sessions/second-factors/turn-off-second-factor.operation.ts';
import { signIn } from '../../../../../subgraphs/identity/sessions/sign-in/sign-in.operation.ts';
import { Authenticator } from '../../../../support/authenticator.ts';
import { totpCode } from '../../../../support/totp-code.ts';
import { BROWSER, type Identity, PASSWORD, SEALING, startIdentity } from '../../identity-builder.ts';

const APP = 'https://app.example.com';

let world: Identity;
beforeAll(async () => {
  world = await startIdentity();
});
afterAll(() => world.close());

/** A separate organization for the test. */
async function anOrganization() {
  const ownerEmail = `owner-${randomUUID()}@example.com`;
  const { organization, ownerUserId } = await createOrganization(world.operator, {
    name: 'Strict',
    ownerEmail,
    ownerPassword: PASSWORD,
  });
  const operator = world.contextOf({ ...world.operator.principal, organizationId: organization.id });
  const memberEmail = `member-${randomUUID()}@example.com`;
  const { userId } = await createAccountUser(operator, { email: memberEmail, password: PASSWORD, role: 'member' });
  return { id: organization.id, operator, ownerEmail, ownerUserId, memberEmail, memberId: userId };
}

async function tokenOf(email: string): Promise<string> {
  const { session } = await signIn(world.service, { email, password: PASSWORD, ...BROWSER });
  return session?.token ?? '';
}
const sessionOf = async (email: string): Promise<SubgraphContext> => world.sessionOfToken(await tokenOf(email));

async function withApp(email: string) {
  const session = await sessionOf(email);
  const { secret } = await startSecondFactor(session, SEALING, 'books', PASSWORD);
  const on = await confirmSecondFactor(session, totpCode(secret), SEALING);
  return { session: await world.sessionOfToken(on.session.token), codes: on.codes };
}

const actionsOf = async (id: string) =>
  (await world.rows<{ act: string }>('select act from audit_record where subject_id = $1 order by id', [id])).map(
    (record) => record.act,
  );

test('an owner who has a second factor and signed in recently can require one of everybody; open sessions must then set one up', async () => {
  const { id, ownerEmail, memberEmail, operator, memberId } = await anOrganization();
  await expect(requireSecondFactor(await sessionOf(ownerEmail), true)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'Set up your own second factor first',
  });
  // A second factor that no code has confirmed does not count.
  const undecided = await sessionOf(ownerEmail);
  await startSecondFactor(undecided, SEALING, 'books', PASSWORD);
  await expect(requireSecondFactor(undecided, true)).rejects.toMatchObject({
    message: 'Set up your own second factor first',
  });
  const { session: owner } = await withApp(ownerEmail);
  const member = await tokenOf(memberEmail);
  const { secret: key } = await createApiKey(
    operator,
    { name: 'k', environment: 'live', preset: 'read', accountUserId: memberId },
    SEALING,
  );
  expect((await world.sessionOfToken(member)).principal.grants).toContain('member');
  await world.rows("update session set signed_in_at = now() - interval '11 minutes' where id = $1", [
    owner.principal.credentialId,
  ]);
  await expect(requireSecondFactor(owner, true)).rejects.toMatchObject({ details: { actionHint: 'SIGN_IN_AGAIN' } });
  await world.rows('update session set signed_in_at = now() where id = $1', [owner.principal.credentialId]);
  expect(await requireSecondFactor(owner, true)).toMatchObject({ id, requiresSecondFactor: true });
  expect(await requireSecondFactor(owner, true)).toMatchObject({ requiresSecondFactor: true });

  expect((await world.sessionOfToken(member)).principal.grants).toEqual(['enrollment']);
  const begun = await sessionOf(memberEmail);
  expect(begun.principal.grants).toEqual(['enrollment']);
  await startSecondFactor(begun, SEALING, 'books', PASSWORD);
  expect((await world.sessionOfToken(member)).principal.grants).toEqual(['enrollment']);
  expect((await identifyCaller(world.service, 'bearer', key, null))?.grants).toContain('costs:read');
  expect((await getOrganization(await world.sessionOfToken(member))).requiresSecondFactor).toBe(true);

  const { session: enrolled } = await withApp(memberEmail);
  expect(enrolled.principal.grants).toContain('member');
  // Other sessions of the same account can continue as well.
  expect((await world.sessionOfToken(member)).principal.grants).toContain('member');

  expect(await requireSecondFactor(owner, false)).toMatchObject({ requiresSecondFactor: false });
  expect(await actionsOf(id)).toEqual(['organization.second_factor_required', 'organization.second_factor_optional']);
});

test('a session that still has to set up a second factor can do nothing else in the graph', async () => {
  const { memberEmail, operator } = await anOrganization();
  await requireSecondFactor(operator, true);
  const session = await sessionOf(memberEmail);
  const codeOf = async (document: string) =>
    (await world.graphql(document, {}, session)).errors?.[0]?.extensions?.['code'] ?? null;
  for (const document of [
    '{ apiKeys { id } }',
    '{ sessions { id } }',
    'mutation { passwordChange(input: { password: "x", newPassword: "y" }) { session { token } userErrors { message code } } }',
    'mutation { apiKeyCreate(input: { name: "k", environment: "live", preset: "read" }) { createdApiKey { secret } userErrors { message } } }',
    'mutation { deviceLoginApprove(input: { id: "x" }) { deviceLogin { id } userErrors { message code } } }',
    'mutation { secondFactorTurnOff(input: { password: "x", code: "y" }) { session { token } userErrors { message code } } }',
    'mutation { organizationRequireSecondFactor(input: { required: false }) { organization { id } userErrors { message } } }',
  ])
    expect([document, await codeOf(document)]).toEqual([document, 'FORBIDDEN']);
  for (const document of [
    '{ caller { ok scopes } }',
    '{ secondFactor { on } }',
    '{ passkeys { id } }',
    '{ organization { requiresSecondFactor } }',
    'mutation { currentSessionEnd { hasEnded userErrors { message code } } }',
  ])
    expect([document, await codeOf(document)]).toEqual([document, null]);
});

test('a passkey counts as a second factor, and the last second factor cannot be removed', async () => {
  const { memberEmail, operator, memberId } = await anOrganization();
  await requireSecondFactor(operator, true);
  const session = await sessionOf(memberEmail);
  const response = new Authenticator(APP).create(await startPasskey(session, PASSWORD, APP));
  const added = await confirmPasskey(session, { name: 'Key', response }, SEALING, APP);
  const enrolled = await world.sessionOfToken(added.session.token);
  expect(enrolled.principal.grants).toContain('member');
  const lastOne = { code: 'VALIDATION_ERROR', message: expect.stringContaining('requires a second factor') };
  await expect(removePasskey(enrolled, added.passkey.id, PASSWORD)).rejects.toMatchObject(lastOne);

  const { secret } = await startSecondFactor(enrolled, SEALING, 'books', PASSWORD);
  const both = await confirmSecondFactor(enrolled, totpCode(secret), SEALING);
  const { token } = await removePasskey(await world.sessionOfToken(both.session.token), added.passkey.id, PASSWORD);
  const onlyApp = await world.sessionOfToken(token);
  await expect(turnOffSecondFactor(onlyApp, PASSWORD, both.codes[0]!, SEALING)).rejects.toMatchObject(lastOne);
  expect((await world.sessionOfToken(token)).principal.grants).toContain('member');

  await resetSecondFactor(operator, memberId);
  expect((await sessionOf(memberEmail)).principal.grants).toEqual(['enrollment']);
});

test('a second factor can be required only by owners and operators, for one organization', async () => {
  const [ours, theirs] = [await anOrganization(), await anOrganization()];
  await requireSecondFactor(ours.operator, true);
  expect((await sessionOf(theirs.memberEmail)).principal.grants).toContain('member');
  for (const context of [await sessionOf(theirs.memberEmail), world.service]) {
    const { errors } = await world.graphql(
      'mutation { organizationRequireSecondFactor(input: { required: true }) { organization { id } userErrors { message } } }',
      {},
      context,
    );
    expect(errors?.[0]?.extensions?.['code']).toBe('FORBIDDEN');
  }
});
