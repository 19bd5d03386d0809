/** Saved views: named addresses of pages, for one person or for everybody in the organization. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';

export const SavedViewTable = defineEntity({
  name: 'SavedView',
  tableName: 'saved_view',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Time-ordered. */
    id: p.uuid().primary(),
    name: p.text(),
    /** Path and query of a page. */
    path: p.text(),
    /** The only account user who sees it; null if everybody does. */
    onlyFor: p.uuid().nullable(),
    savedAt: p.datetime(3),
    /** Null for an operator. */
    savedBy: p.uuid().nullable(),
  },
  indexes: [{ name: 'saved_view_only_for_index', properties: ['organizationId', 'onlyFor'] }],
});

type Row = InferEntity<typeof SavedViewTable>;

export type SavedViewRow = { readonly [Key in keyof Row & string]-?: Exclude<Row[Key], undefined> };

export async function insertSavedView(tx: WriteTransaction, view: SavedViewRow): Promise<void> {
  await tx.em.insert(SavedViewTable, view);
}

/** The views that everybody sees, and those of one account user; oldest first. */
export async function listVisibleViews(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId | null,
): Promise<SavedViewRow[]> {
  const visible = accountUserId === null ? [null] : [null, accountUserId];
  const where = { organizationId, $or: visible.map((onlyFor) => ({ onlyFor })) };
  return (await tx.em.find(SavedViewTable, where, {
    orderBy: { id: 'asc' },
    disableIdentityMap: true,
  })) as SavedViewRow[];
}

export function countSavedViews(
  tx: WriteTransaction,
  where: Pick<SavedViewRow, 'organizationId' | 'onlyFor'>,
): Promise<number> {
  return tx.em.count(SavedViewTable, where);
}

export async function findSavedView(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<SavedViewRow | null> {
  const [view] = await tx.em.find(SavedViewTable, { organizationId, id }, { disableIdentityMap: true });
  return (view as SavedViewRow | undefined) ?? null;
}

export async function deleteSavedViewRow(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<void> {
  await tx.em.nativeDelete(SavedViewTable, { organizationId, id });
}

const VIEWS_WITH = statement(
  (input: Parameters<{ organizationId: OrganizationId; name: string; id: string; value: string }>) =>
    sql<Pick<SavedViewRow, 'id' | 'name' | 'path'>>`select id, name, path from saved_view
      where organization_id = ${input.organizationId}
        and (position(${input.name} in name) > 0 or position(${input.id} in path) > 0 or position(${input.value} in path) > 0)`,
);

/** Views whose name contains `name`, or whose path contains `id` or `value`. */
export function findViewsWith(
  tx: WriteTransaction,
  input: {
    readonly organizationId: OrganizationId;
    readonly name: string;
    readonly id: string;
    readonly value: string;
  },
): Promise<Pick<SavedViewRow, 'id' | 'name' | 'path'>[]> {
  return tx.all(VIEWS_WITH, input);
}

export async function renameSavedView(
  tx: WriteTransaction,
  { organizationId, id, name, path }: Pick<SavedViewRow, 'organizationId' | 'id' | 'name' | 'path'>,
): Promise<void> {
  await tx.em.nativeUpdate(SavedViewTable, { organizationId, id }, { name, path });
}
