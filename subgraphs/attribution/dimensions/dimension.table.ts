/** Metadata keys that an organization has registered. `rolled_key` holds the state of a key's rollup. */
import type { OrganizationId } from '#kernel/ids.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const DimensionTable = defineEntity({
  name: 'Dimension',
  tableName: 'dimension',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    /** As in metadata: case-sensitive. */
    key: p.text().primary(),
    label: p.text(),
    registeredAt: p.datetime(3),
    /** Null while the key is in use. */
    retiredAt: p.datetime(3).nullable(),
  },
});

export type Dimension = InferEntity<typeof DimensionTable>;

/** Returns the registration of a key in use. */
export function findDimension(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  key: string,
): Promise<Dimension | null> {
  return tx.em.findOne(DimensionTable, { organizationId, key, retiredAt: null });
}

const IS_DIMENSION = statement(
  ({ organizationId, key }: Parameters<{ organizationId: OrganizationId; key: string }>) =>
    sql<object>`select 1 from dimension where organization_id = ${organizationId} and key = ${key} and retired_at is null`,
);

/** True if the key is in use. */
export async function isDimension(tx: Transaction, organizationId: OrganizationId, key: string): Promise<boolean> {
  const rows = await tx.all(IS_DIMENSION, { organizationId, key });
  return rows.length > 0;
}

const COUNT_OTHER_DIMENSIONS = statement(
  ({ organizationId, key }: Parameters<{ organizationId: OrganizationId; key: string }>) =>
    sql<{
      count: number;
    }>`select count(*)::int as count from dimension where organization_id = ${organizationId} and retired_at is null and key <> ${key}`,
);

/** Number of keys in use other than this one. Locks: nobody can register another key until the transaction ends. */
export async function countOtherDimensions(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  key: string,
): Promise<number> {
  await lockOrganization(tx, 'dimensions', organizationId);
  const { count } = await tx.one(COUNT_OTHER_DIMENSIONS, { organizationId, key });
  return count;
}

/** The organization's dimensions, ordered by key. */
export function listDimensions(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  includeRetired: boolean,
): Promise<Dimension[]> {
  return tx.em.find(
    DimensionTable,
    { organizationId, ...(includeRetired ? {} : { retiredAt: null }) },
    { orderBy: { key: 'asc' } },
  );
}

/**
 * Puts a key in use. A key already in use keeps its registration and takes the new label, if given. A retired key is
 * registered again.
 */
export async function saveDimension(
  tx: WriteTransaction,
  { organizationId, key, label, at }: { organizationId: OrganizationId; key: string; label: string | null; at: Date },
): Promise<Dimension> {
  const known = await tx.em.findOne(DimensionTable, { organizationId, key });
  if (known && !known.retiredAt) {
    known.label = label ?? known.label;
    return known;
  }
  if (known) return tx.em.assign(known, { label: label ?? key, registeredAt: at, retiredAt: null });
  const created = tx.em.create(DimensionTable, {
    organizationId,
    key,
    label: label ?? key,
    registeredAt: at,
    retiredAt: null,
  });
  tx.em.persist(created);
  return created;
}
