/** Facts that the database rejected. They delay nothing; the organization's figures lack them until they are stored. */
import { defineEntity, p } from '@mikro-orm/core';
import { now } from '#platform/clock.ts';
import { query, queryOne } from '#platform/database/sql.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const RefusedFactTable = defineEntity({
  name: 'RefusedFact',
  tableName: 'refused_fact',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Event and sequence of a fact, or the id of an end user. */
    id: p.text().primary(),
    /** As received, as text: rejected data may not be JSON to the database. */
    body: p.text(),
    reason: p.text(),
    refusedAt: p.datetime(3),
  },
});

export interface Refusal {
  readonly organizationId: string;
  readonly id: string;
  readonly item: object;
  readonly reason: string;
}

export async function recordRefusal(
  tx: WriteTransaction,
  { organizationId, id, item, reason }: Refusal,
): Promise<void> {
  // JSON escapes invalid Unicode and null characters.
  const body = JSON.stringify(item);
  await query(
    tx,
    `
    insert into refused_fact (organization_id, id, body, reason, refused_at) values ($1, $2, $3, $4, $5)
    on conflict (organization_id, id) do update set body = excluded.body, reason = excluded.reason`,
    [organizationId, id, body, reason.replaceAll('\0', ''), now()],
  );
}

/** Deletes the refusals of these facts and end users, which are written now. */
export async function forgetRefusals(
  tx: WriteTransaction,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await query(tx, 'delete from refused_fact where organization_id = $1 and id = any($2::text[])', [
    organizationId,
    ids,
  ]);
}

/** True if any fact or end user of the organization was set aside. */
export async function hasRefusals(tx: WriteTransaction, organizationId: string): Promise<boolean> {
  const rows = await query(tx, 'select 1 from refused_fact where organization_id = $1 limit 1', [organizationId]);
  return rows.length > 0;
}

/** For the caller's organization. */
export async function countOwnRefusals(tx: Transaction, organizationId: string): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    tx,
    'select count(*)::float8 as count from refused_fact where organization_id = $1',
    [organizationId],
  );
  return count;
}

/** For one organization, or for all. */
export async function countRefusals(tx: WriteTransaction, organizationId: string | null): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    tx,
    'select count(*)::float8 as count from refused_fact where $1::uuid is null or organization_id = $1',
    [organizationId],
  );
  return count;
}
