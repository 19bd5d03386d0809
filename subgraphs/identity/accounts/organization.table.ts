/** The tenants. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { type Parameters, run, statement } from '../../../platform/database/statement.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const OrganizationTable = defineEntity({
  name: 'Organization',
  tableName: 'organization',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    name: p.string().length(255),
    createdAt: p.datetime(3),
    /** Then nothing else is left of it here, and its name is empty. */
    deletedAt: p.datetime(3).nullable(),
    /** Since when every account user needs a second factor; null: each chooses. */
    secondFactorRequiredAt: p.datetime(3).nullable(),
  },
});

export type Organization = InferEntity<typeof OrganizationTable>;

export function listAllOrganizations(em: EntityManager): Promise<Organization[]> {
  return em.find(OrganizationTable, {}, { orderBy: { createdAt: 'asc', organizationId: 'asc' } });
}

const ORGANIZATION_EXISTS = statement(
  ({ organizationId }: Parameters<{ organizationId: string }>) =>
    sql<object>`select 1 from organization where organization_id = ${organizationId}`,
);

export async function organizationExists(em: EntityManager, organizationId: string): Promise<boolean> {
  return (await run(em, ORGANIZATION_EXISTS, { organizationId })).length > 0;
}

export async function nameOfOrganization(em: EntityManager, organizationId: string): Promise<string> {
  return (await em.findOneOrFail(OrganizationTable, { organizationId })).name;
}

export function findOrganization(em: EntityManager, organizationId: string): Promise<Organization | null> {
  return em.findOne(OrganizationTable, { organizationId });
}

/** `at`: since when; `null`: no longer. Says whether that is a change. */
export async function setSecondFactorRequired(
  em: EntityManager,
  organizationId: string,
  at: Date | null,
): Promise<boolean> {
  const before = at === null ? { $ne: null } : null;
  const changed = { organizationId, secondFactorRequiredAt: before };
  return (await em.nativeUpdate(OrganizationTable, changed, { secondFactorRequiredAt: at })) === 1;
}

const LOCK_ORGANIZATION = statement(
  ({ organizationId }: Parameters<{ organizationId: string }>) =>
    sql<object>`select 1 from organization where organization_id = ${organizationId} for update`,
);

/** One change of who is who at a time. */
export async function lockOrganization(em: EntityManager, organizationId: string): Promise<void> {
  await run(em, LOCK_ORGANIZATION, { organizationId });
}

const ANY_ORGANIZATION_EXISTS = statement(() => sql<object>`select 1 from organization limit 1`);

export async function anyOrganizationExists(em: EntityManager): Promise<boolean> {
  return (await run(em, ANY_ORGANIZATION_EXISTS, {})).length > 0;
}
