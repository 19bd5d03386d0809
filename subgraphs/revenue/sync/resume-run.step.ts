/** The run that a step belongs to: the open one, or a new one. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { randomUuid } from '../../../platform/random.ts';
import type { ClaimedConnection } from '../connection/payment-connection.table.ts';
import { beginRun, openRun, pagesOfLastFull, type SyncRunRow } from './runs/sync-run.table.ts';
import { chooseMode } from './choose-mode.ts';

export async function resumeRun(em: EntityManager, connection: ClaimedConnection, now: Date): Promise<SyncRunRow> {
  const organizationId = connection.organization_id;
  const open = await openRun(em, organizationId);
  if (open !== null) return open;
  const mode = chooseMode({
    now,
    requestedFull:
      connection.requested_full &&
      connection.requested_at !== null &&
      (connection.last_sync_at === null || connection.requested_at > connection.last_sync_at),
    lastSyncAt: toDate(connection.last_sync_at),
    lastFullSyncAt: toDate(connection.last_full_sync_at),
    pagesOfLastFull: await pagesOfLastFull(em, organizationId),
    eventsOffered: connection.events_offered,
  });
  return beginRun(em, organizationId, randomUuid(), mode, now);
}

function toDate(iso: string | null): Date | null {
  return iso === null ? null : new Date(iso);
}
