/** How far each list of the processor has been read, by the processor's clock. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';

export const SyncCursorTable = defineEntity({
  name: 'SyncCursor',
  tableName: 'sync_cursor',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    resource: p.text().primary(),
    /** All objects created before this are known; seconds since 1970 by the processor's clock. */
    readUntil: p.bigint().nullable(),
    /** Value of `readUntil` once the current run ends. */
    newestSeen: p.bigint().nullable(),
  },
});

const db = tables<typeof SyncCursorTable>();

const READ_UNTIL = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<{
      resource: string;
      readUntil: string;
    }>`select resource, read_until::text from sync_cursor where organization_id = ${organizationId} and read_until is not null`,
);

/** Cursor of each list, in seconds by the processor's clock. Lists that were never read to the end are missing. */
export async function readUntil(tx: WriteTransaction, organizationId: OrganizationId): Promise<Map<string, number>> {
  const rows = await tx.all(READ_UNTIL, { organizationId });
  return new Map(rows.map(({ resource, readUntil }) => [resource, Number(readUntil)]));
}

const RECORD_NEWEST = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; resource: string; created: number }>,
  ) => sql<object>`insert into sync_cursor as known (organization_id, resource, newest_seen) values (${input.organizationId}, ${input.resource}, ${input.created})
     on conflict (organization_id, resource) do update set newest_seen = greatest(known.newest_seen, excluded.newest_seen)`,
);

/** Records the newest object seen of a list; takes effect when the run ends. */
export async function recordNewest(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  resource: string,
  created: number,
): Promise<void> {
  await tx.run(RECORD_NEWEST, { organizationId, resource, created });
}

const COMMIT_CURSORS = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<object>`update sync_cursor set read_until = greatest(read_until, newest_seen), newest_seen = null where organization_id = ${organizationId} and newest_seen is not null`,
);

/** Advances the cursors at the end of a run. */
export async function commitCursors(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(COMMIT_CURSORS, { organizationId });
}

const FORGET_CURSORS = statement(({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
  db.deleteFrom('syncCursor').where('organizationId', '=', organizationId),
);

/** Deletes the cursors, so that the next sync reads everything. */
export async function forgetCursors(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(FORGET_CURSORS, { organizationId });
}
