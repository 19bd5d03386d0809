/**
 * Deleting an organization: what happens to its owner, and that nothing can be created for it during the deletion or
 * later.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccountUser } from '../../../../../subgraphs/identity/accounts/members/create-account-user.operation.ts';
import { deleteOrganization } from '../../../../../subgraphs/identity/accounts/members/delete-organization.operation.ts';
import { listOrganizationIds } from '../../../../../subgraphs/identity/accounts/list-organization-ids.operation.ts';
import { type Identity, PASSWORD, startIdentity } from '../../identity-builder.ts';

let world: Identity;
beforeAll(async () => {
  world = await startIdentity();
});
afterAll(() => world.close());

test('an owner deletes the organization within ten minutes of a sign-in and with the password; an account added at the same time is refused or deleted', async () => {
  const owner = await world.session();
  const request = { id: world.organizationId, limit: 5_000 };
  await expect(deleteOrganization(owner, request)).rejects.toMatchObject({
    details: { actionHint: 'TYPE_OWN_PASSWORD' },
  });
  await world.rows("update session set signed_in_at = now() - interval '11 minutes'");
  await expect(deleteOrganization(owner, { ...request, ownPassword: PASSWORD })).rejects.toMatchObject({
    details: { actionHint: 'SIGN_IN_AGAIN' },
  });
  await world.rows('update session set signed_in_at = now()');
  await expect(
    deleteOrganization(owner, { ...request, id: randomUUID(), ownPassword: PASSWORD }),
  ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(await listOrganizationIds(world.service, 'deleted', null)).toEqual([]);

  const account = () => ({ email: `late-${randomUUID()}@example.com`, password: PASSWORD, role: 'member' });
  const outcomes = await Promise.allSettled([
    createAccountUser(world.ofOurs, account()),
    deleteOrganization(owner, { ...request, ownPassword: PASSWORD }),
    createAccountUser(world.ofOurs, account()),
  ]);
  expect(outcomes[1]).toMatchObject({ status: 'fulfilled', value: { isFinished: true } });
  // An operator authenticated before the deletion.
  await expect(createAccountUser(world.ofOurs, account())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await world.rows('select email from account_user')).toEqual([]);
  expect(await listOrganizationIds(world.service, 'deleted', null)).toEqual([world.organizationId]);
  expect(await listOrganizationIds(world.service, 'deleted', world.organizationId)).toEqual([]);
});
