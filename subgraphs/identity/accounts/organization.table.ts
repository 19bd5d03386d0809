/** The tenants. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { type Parameters, run, runFirst, statement } from '../../../platform/database/statement.ts';
import { tables } from '../../../platform/database/tables.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const OrganizationTable = defineEntity({
  name: 'Organization',
  tableName: 'organization',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    name: p.string().length(255),
    createdAt: p.datetime(3),
  },
});

export type Organization = InferEntity<typeof OrganizationTable>;

const db = tables<typeof OrganizationTable>();

export function listAllOrganizations(em: EntityManager): Promise<Organization[]> {
  return em.find(OrganizationTable, {}, { orderBy: { createdAt: 'asc', organizationId: 'asc' } });
}

const FIND = statement((organization: Parameters<{ organizationId: string }>) => byId(organization));

const byId = ({ organizationId }: Parameters<{ organizationId: string }>) =>
  db.selectFrom('organization').select('organizationId').where('organizationId', '=', organizationId);

export async function organizationExists(em: EntityManager, organizationId: string): Promise<boolean> {
  return (await runFirst(em, FIND, { organizationId })) !== null;
}

export async function nameOfOrganization(em: EntityManager, organizationId: string): Promise<string> {
  return (await em.findOneOrFail(OrganizationTable, { organizationId })).name;
}

const LOCK = statement((organization: Parameters<{ organizationId: string }>) => byId(organization).forUpdate());

/** One change of who is who at a time. */
export async function lockOrganization(em: EntityManager, organizationId: string): Promise<void> {
  await run(em, LOCK, { organizationId });
}

const FIND_ANY = statement(() => db.selectFrom('organization').select('organizationId').limit(1));

export async function anyOrganizationExists(em: EntityManager): Promise<boolean> {
  return (await runFirst(em, FIND_ANY, {})) !== null;
}
