/** Sample data: who may open it, that nothing except leaving it is possible there, and that nobody else is affected. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { createAccountUser } from '../../../../subgraphs/identity/accounts/members/create-account-user.operation.ts';
import { deleteOrganization } from '../../../../subgraphs/identity/accounts/members/delete-organization.operation.ts';
import { createOrganization } from '../../../../subgraphs/identity/accounts/create-organization.operation.ts';
import { listOrganizationIds } from '../../../../subgraphs/identity/accounts/list-organization-ids.operation.ts';
import { identifyCaller } from '../../../../subgraphs/identity/callers/identify-caller.operation.ts';
import { atOnce, BROWSER, type Identity, PASSWORD, startIdentity } from '../identity-builder.ts';
import { signIn } from '../../../../subgraphs/identity/sessions/sign-in/sign-in.operation.ts';

let world: Identity;
beforeAll(async () => {
  world = await startIdentity();
});
afterAll(() => world.close());

const OPEN = 'mutation { sampleDataOpen { sampleData { organizationId isOpen } userErrors { message } } }';
const LEAVE = 'mutation { sampleDataLeave { sampleData { organizationId isOpen } } }';
const REMOVE = 'mutation { sampleDataRemove { sampleData { organizationId } } }';

const ask = async (document: string, context: SubgraphContext) => {
  const { data, errors } = await world.graphql(document, {}, context);
  return errors ? { error: errors[0]?.message } : (data as Record<string, any>);
};
const open = async (context: SubgraphContext): Promise<string> =>
  (await ask(OPEN, context))['sampleDataOpen'].sampleData.organizationId as string;

test('a session switches to the sample of its own organization and back; others are unaffected', async () => {
  const owner = await world.session();
  const other = await world.session();
  const home = owner.principal;
  expect(home).not.toHaveProperty('sampleOf');
  // Even concurrent requests create only one sample.
  const { values } = await atOnce(4, () => open(owner));
  expect(new Set(values).size).toBe(1);
  const [sampleId = ''] = values;
  expect(sampleId).not.toBe(world.organizationId);

  const inside = await world.sessionOfToken(owner.token);
  expect(inside.principal).toMatchObject({
    kind: 'session',
    organizationId: sampleId,
    sampleOf: world.organizationId,
    organizationName: 'Sample data',
    grants: ['sample', 'member', 'costs:read', 'revenue:read', 'usage:read', 'dimensions:read'],
  });
  expect((await world.sessionOfToken(other.token)).principal).toMatchObject({
    organizationId: world.organizationId,
    grants: expect.arrayContaining(['owner']) as string[],
  });
  expect(
    await ask('{ organization { id sampleOf } sampleData { isOpen } apiKeys { id } sessions { id } }', inside),
  ).toMatchObject({
    organization: { id: sampleId, sampleOf: world.organizationId },
    sampleData: { isOpen: true },
    apiKeys: [],
    // The person's own organization.
    sessions: expect.arrayContaining([{ id: home.credentialId }]) as object[],
  });

  expect(await ask(LEAVE, inside)).toEqual({
    sampleDataLeave: { sampleData: { organizationId: sampleId, isOpen: false } },
  });
  expect((await world.sessionOfToken(owner.token)).principal).toEqual({ ...home });
});

test('in sample data, only the sample itself can be changed, and signing out works', async () => {
  const owner = await world.session();
  await open(owner);
  const inside = await world.sessionOfToken(owner.token);
  for (const field of [
    'apiKeyCreate(input: { name: "k", environment: "live", preset: "ingest" }) { userErrors { message } }',
    'organizationRename(input: { name: "n" }) { userErrors { message } }',
    'otherSessionsEnd { endedSessions }',
    `passkeyStart(input: { password: "${PASSWORD}" }) { passkeyOptions { options } userErrors { message code } }`,
    'deviceLoginApprove(input: { id: "x" }) { deviceLogin { id } userErrors { message code } }',
  ])
    expect(await ask(`mutation { ${field} }`, inside)).toEqual({
      error: 'This is sample data: go back to your own organization to do this',
    });
  // Nor can an operator add people.
  const operator = await identifyOperator(inside.principal.organizationId);
  await expect(
    createAccountUser(operator, { email: `in-${randomUUID()}@example.com`, password: PASSWORD, role: 'owner' }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });

  expect(await ask('mutation { currentSessionEnd { hasEnded userErrors { message code } } }', inside)).toEqual({
    currentSessionEnd: { hasEnded: true, userErrors: [] },
  });
  await expect(world.sessionOfToken(owner.token)).rejects.toThrow('opens nothing');
});

test('no member may open sample data, nobody who becomes a member stays in it, and no other organization sees it', async () => {
  const member = await world.session('member');
  expect(await ask(OPEN, member)).toEqual({ error: 'This needs the scope owner or admin or sample' });
  expect(await ask('{ sampleData { isOpen } }', member)).toMatchObject({
    error: expect.stringContaining('scope') as string,
  });
  // As if the session had been switched before.
  await world.rows('update session set is_in_sample = true where id = $1', [member.principal.credentialId]);
  expect((await world.sessionOfToken(member.token)).principal).toMatchObject({ organizationId: world.organizationId });

  const owner = await world.session();
  const sampleId = await open(owner);
  await world.rows("update account_user set role = 'member' where email = $1", [world.emails.owner]);
  expect((await world.sessionOfToken(owner.token)).principal).toMatchObject({
    organizationId: world.organizationId,
    grants: expect.arrayContaining(['member']) as string[],
  });
  await world.rows("update account_user set role = 'owner' where email = $1", [world.emails.owner]);

  const stranger = { email: `stranger-${randomUUID()}@example.com`, password: PASSWORD };
  await createOrganization(world.operator, { name: 'Theirs', ownerEmail: stranger.email, ownerPassword: PASSWORD });
  const { session } = await signIn(world.service, { ...stranger, ...BROWSER });
  const theirs = await world.sessionOfToken(session!.token);
  await world.rows('update session set is_in_sample = true where id = $1', [theirs.principal.credentialId]);
  expect((await world.sessionOfToken(session!.token)).principal).toEqual(theirs.principal);
  expect(await ask('{ sampleData { isOpen } }', theirs)).toEqual({ sampleData: null });
  expect(await open(theirs)).not.toBe(sampleId);
});

test('a sample is removed with one call from inside or outside, closes for every session, and can be created again', async () => {
  const owner = await world.session();
  const colleague = await world.session();
  const first = await open(owner);
  await open(colleague);
  const inside = await world.sessionOfToken(owner.token);
  expect(await ask(REMOVE, inside)).toEqual({ sampleDataRemove: { sampleData: null } });
  for (const { token } of [owner, colleague])
    expect((await world.sessionOfToken(token)).principal).toMatchObject({ organizationId: world.organizationId });
  expect(await listOrganizationIds(world.service, 'deleted', null)).toContain(first);
  const actions = await world.rows<{ kind: string }>('select act as kind from audit_record where subject_id = $1', [
    first,
  ]);
  expect(actions.map(({ kind }) => kind).sort()).toEqual([
    'organization.deleted',
    'sample_data.created',
    'sample_data.removed',
  ]);

  const second = await open(await world.sessionOfToken(owner.token));
  expect(second).not.toBe(first);
  // The sample organization is deleted with its organization.
  await deleteOrganization(await world.sessionOfToken(colleague.token), {
    id: world.organizationId,
    limit: 5_000,
    ownPassword: PASSWORD,
  });
  expect(await listOrganizationIds(world.service, 'deleted', null)).toEqual(
    expect.arrayContaining([world.organizationId, second]),
  );
  expect(await identifyCaller(world.service, 'session', owner.token, null)).toBeNull();
});

/** The principal that the gateway creates for an operator acting on this organization. */
async function identifyOperator(organizationId: string | null): Promise<SubgraphContext> {
  return world.contextOf({ ...world.operator.principal, organizationId });
}
