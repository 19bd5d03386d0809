/** Organizations: the tenants. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { fail } from '#kernel/errors.ts';

export const OrganizationTable = defineEntity({
  name: 'Organization',
  tableName: 'organization',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    name: p.string().length(255),
    createdAt: p.datetime(3),
    /** Time of deletion. A deleted organization has an empty name, and its other data here is deleted. */
    deletedAt: p.datetime(3).nullable(),
    /** Time since which every account user needs a second factor; null if each may choose. */
    secondFactorRequiredAt: p.datetime(3).nullable(),
    /** The organization whose sample this is; null if it is not a sample. Nobody signs in to a sample (decision 58). */
    sampleOf: p.uuid().nullable(),
    /** First month of the fiscal year, 1 to 12. */
    fiscalYearStart: p.smallint().default(1),
  },
  uniques: [{ name: 'organization_sample_of_unique', properties: ['sampleOf'] }],
  checks: [
    { name: 'organization_fiscal_year_start', expression: 'fiscal_year_start >= 1 and fiscal_year_start <= 12' },
  ],
});

/** Display name of a sample organization. */
export const SAMPLE_NAME = 'Sample data';

export type Organization = InferEntity<typeof OrganizationTable>;

export function listAllOrganizations(tx: WriteTransaction): Promise<Organization[]> {
  return tx.em.find(OrganizationTable, {}, { orderBy: { createdAt: 'asc', organizationId: 'asc' } });
}

const FIND_STATE = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<OrganizationState>`select deleted_at is not null as is_deleted, sample_of from organization where organization_id = ${organizationId}`,
);

export interface OrganizationState {
  readonly isDeleted: boolean;
  /** The organization whose sample this is. */
  readonly sampleOf: string | null;
}

/** Returns null if no such organization has ever existed. */
export async function findOrganizationState(
  tx: WriteTransaction,
  organizationId: OrganizationId,
): Promise<OrganizationState | null> {
  return tx.first(FIND_STATE, { organizationId });
}

const LIST_IDS = statement(
  ({ deleted, after, max }: Parameters<{ deleted: boolean; after: string | null; max: number }>) => sql<{ id: string }>`
    select organization_id as id from organization
    where (deleted_at is not null) = ${deleted} and (${after}::uuid is null or organization_id > ${after}) order by 1 limit ${max}`,
);

/** Ids in ascending order, either of deleted or of existing organizations. */
export async function listOrganizationIds(
  tx: WriteTransaction,
  args: { readonly deleted: boolean; readonly after: string | null; readonly max: number },
): Promise<string[]> {
  return (await tx.all(LIST_IDS, args)).map(({ id }) => id);
}

export async function nameOfOrganization(tx: WriteTransaction, organizationId: OrganizationId): Promise<string> {
  return (await tx.em.findOneOrFail(OrganizationTable, { organizationId })).name;
}

export function findOrganization(tx: WriteTransaction, organizationId: OrganizationId): Promise<Organization | null> {
  return tx.em.findOne(OrganizationTable, { organizationId });
}

/** `at`: when the requirement begins; `null` ends it. Returns whether anything changed. */
export async function setSecondFactorRequired(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  at: Date | null,
): Promise<boolean> {
  const before = at === null ? { $ne: null } : null;
  const changed = { organizationId, secondFactorRequiredAt: before };
  return (await tx.em.nativeUpdate(OrganizationTable, changed, { secondFactorRequiredAt: at })) === 1;
}

/** Returns whether anything changed. */
export async function setOrganizationName(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  name: string,
): Promise<boolean> {
  return (await tx.em.nativeUpdate(OrganizationTable, { organizationId, name: { $ne: name } }, { name })) === 1;
}

/** Returns whether anything changed. */
export async function setFiscalYearStart(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  month: number,
): Promise<boolean> {
  const changed = { organizationId, fiscalYearStart: { $ne: month } };
  return (await tx.em.nativeUpdate(OrganizationTable, changed, { fiscalYearStart: month })) === 1;
}

const LOCK_ORGANIZATION = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<object>`select 1 from organization where organization_id = ${organizationId} and deleted_at is null and sample_of is null for update`,
);

/**
 * Serializes changes to accounts and roles. Fails with `NOT_FOUND` for a sample, and for an organization that is
 * deleted, even if that happens while this call waits.
 */
export async function lockOrganization(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  const held = await tx.all(LOCK_ORGANIZATION, { organizationId });
  if (held.length === 0) fail('NOT_FOUND', 'There is no such organization');
}

/** Finds the sample organization of an organization. */
export function findSample(tx: WriteTransaction, sampleOf: string): Promise<Organization | null> {
  return tx.em.findOne(OrganizationTable, { sampleOf, deletedAt: null });
}

const MARK_DELETED = statement(
  ({ id, at }: Parameters<{ id: string; at: Date }>) =>
    sql<{
      id: string;
    }>`update organization set deleted_at = ${at}, name = '', sample_of = null where (organization_id = ${id} or sample_of = ${id}) and deleted_at is null returning organization_id as id`,
);

/**
 * Marks an organization and its sample as deleted; only their ids remain. Returns those that were not deleted before.
 */
export async function markDeleted(tx: WriteTransaction, id: string, at: Date): Promise<string[]> {
  return (await tx.all(MARK_DELETED, { id, at })).map((marked) => marked.id);
}

const ANY_ORGANIZATION_EXISTS = statement(() => sql<object>`select 1 from organization limit 1`);

export async function anyOrganizationExists(tx: WriteTransaction): Promise<boolean> {
  return (await tx.all(ANY_ORGANIZATION_EXISTS, {})).length > 0;
}
