/** How far each list of the processor has been read, in the processor's own time. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../../platform/database/tenant-table.ts';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { query } from '../../../../platform/database/sql.ts';

export const SyncCursorTable = defineEntity({
  name: 'SyncCursor',
  tableName: 'sync_cursor',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    resource: p.text().primary(),
    /** Everything created before is known; seconds since 1970 by the processor's clock. */
    readUntil: p.bigint().nullable(),
    /** What `readUntil` becomes when the run under way ends. */
    newestSeen: p.bigint().nullable(),
  },
});

export type SyncCursor = InferEntity<typeof SyncCursorTable>;

/** How far each list is known, in seconds by the processor's clock; a list that was never read through is missing. */
export async function readUntil(em: EntityManager, organizationId: string): Promise<Map<string, number>> {
  const rows = await query<{ resource: string; readUntil: string }>(
    em,
    'select resource, read_until::text from sync_cursor where organization_id = $1 and read_until is not null',
    [organizationId],
  );
  return new Map(rows.map(({ resource, readUntil }) => [resource, Number(readUntil)]));
}

/** Remembers the newest object that a run has seen of a list. It counts when the run has ended. */
export async function recordNewest(
  em: EntityManager,
  organizationId: string,
  resource: string,
  created: number,
): Promise<void> {
  await query(
    em,
    `insert into sync_cursor as known (organization_id, resource, newest_seen) values ($1, $2, $3)
     on conflict (organization_id, resource) do update set newest_seen = greatest(known.newest_seen, excluded.newest_seen)`,
    [organizationId, resource, created],
  );
}

/** A run has come to its end: what it saw is known. */
export async function commitCursors(em: EntityManager, organizationId: string): Promise<void> {
  await query(
    em,
    'update sync_cursor set read_until = greatest(read_until, newest_seen), newest_seen = null where organization_id = $1 and newest_seen is not null',
    [organizationId],
  );
}

/** Forgets how far everything was read: the next sync reads all. */
export async function forgetCursors(em: EntityManager, organizationId: string): Promise<void> {
  await query(em, 'delete from sync_cursor where organization_id = $1', [organizationId]);
}
