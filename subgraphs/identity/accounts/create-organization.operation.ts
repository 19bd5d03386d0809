/** Creates an organization and its owner. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import { randomBytes, randomUuid } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { insertAccountUser } from './account-user.table.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { OrganizationTable } from './organization.table.ts';
import { checkEmail, checkName, checkPassword } from './check-account.ts';
import { hashPassword } from '../secrets/hash-password.ts';
import { type OrganizationView, toOrganizationView } from './organization-view.ts';

export interface CreateOrganizationParams {
  readonly name: string;
  readonly ownerEmail: string;
  readonly ownerPassword: string;
}

/** Fails with `VALIDATION_ERROR`, including when the address already belongs to an account. */
export async function createOrganization(
  context: SubgraphContext,
  params: CreateOrganizationParams,
): Promise<{ organization: OrganizationView; ownerUserId: string }> {
  const name = checkName('name', params.name);
  const email = checkEmail('ownerEmail', params.ownerEmail);
  const passwordHash = await hashPassword(
    checkPassword('ownerPassword', params.ownerPassword, email, name),
    randomBytes(16),
  );
  const createdAt = now();
  const organization = { organizationId: randomUuid(), name, createdAt };
  const owner = {
    organizationId: organization.organizationId,
    id: randomUuid(),
    email,
    passwordHash,
    role: 'owner' as const,
    createdAt,
  };
  await context.database.system(async (tx) => {
    await tx.em.insert(OrganizationTable, organization);
    if (!(await insertAccountUser(tx, owner)))
      fail('VALIDATION_ERROR', 'An account with this e-mail address already exists', { field: 'ownerEmail' });
    await recordAudit(tx, {
      organizationId: owner.organizationId,
      at: createdAt,
      action: 'organization.created',
      ...actorOf(context.principal),
      subjectId: owner.id,
      detail: name,
    });
  });
  return { organization: toOrganizationView(organization), ownerUserId: owner.id };
}
