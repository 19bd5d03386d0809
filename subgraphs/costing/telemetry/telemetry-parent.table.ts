/**
 * Parent spans of stored calls. If such a span arrives in a later request than its calls, it repeats their usage and
 * adds nothing. Kept for a day, longer than any exporter delays a span.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { ensureHome, fromHome } from '#platform/database/nodes/organization-home.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const TelemetryParentTable = defineEntity({
  name: 'TelemetryParent',
  tableName: 'telemetry_parent',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Trace and span id, separated by a colon. */
    spanKey: p.text().primary(),
    seenAt: p.datetime(3),
  },
  indexes: [{ name: 'telemetry_parent_seen_index', properties: ['organizationId', 'seenAt'] }],
});

const db = tables<typeof TelemetryParentTable>();

const FIND_PARENTS = statement((input: Parameters<{ organizationId: OrganizationId; keys: readonly string[] }>) =>
  db
    .selectFrom('telemetryParent')
    .select('spanKey')
    .where('organizationId', '=', input.organizationId)
    .where('spanKey', '=', sql<string>`any(${input.keys}::text[])`),
);

/** Returns the keys that are stored. */
export async function findParents(
  tx: Transaction,
  organizationId: OrganizationId,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const rows = await tx.all(FIND_PARENTS, { organizationId, keys });
  return new Set(rows.map(({ spanKey }) => spanKey));
}

/** Maximum number of old rows deleted per request: more than a request adds, so that old rows do not accumulate. */
const DELETED_ROWS = 1_000;

const DELETE_OLD_PARENTS = statement(
  (input: Parameters<{ organizationId: OrganizationId; before: Date }>) => sql<object>`
    delete from telemetry_parent where organization_id = ${input.organizationId} and span_key in (
      select span_key from telemetry_parent
      where organization_id = ${input.organizationId} and seen_at < ${input.before}
      order by seen_at limit ${sql.lit(DELETED_ROWS)} for update skip locked)`,
);

const record =
  (isAtHome: boolean) => (input: Parameters<{ organizationId: OrganizationId; keys: readonly string[]; at: Date }>) => {
    const { id, join, isIts } = fromHome(isAtHome, input.organizationId);
    return sql<object>`
    insert into telemetry_parent (organization_id, span_key, seen_at)
    select ${id}, key, ${input.at} from unnest(${input.keys}::text[]) as key ${join} where ${isIts} order by key
    on conflict (organization_id, span_key) do nothing`;
  };
const RECORD_PARENTS = statement({ onOneNode: record(false), onSeveralNodes: record(true) });

/** `keys` are distinct. */
export async function recordParents(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  keys: readonly string[],
  at: Date,
  before: Date,
): Promise<void> {
  if (keys.length === 0) return;
  await ensureHome(tx, organizationId);
  await tx.run(DELETE_OLD_PARENTS, { organizationId, before });
  await tx.run(RECORD_PARENTS, { organizationId, keys, at });
}
