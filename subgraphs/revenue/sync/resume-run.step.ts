/** Finds the open run of a step, or begins one. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { randomUuid } from '#platform/random.ts';
import type { ClaimedConnection } from '../connection/payment-connection.table.ts';
import { ALWAYS_FULL_PAGES_MAX, EVENTS_KEPT_SECONDS, FULL_SYNC_INTERVAL_SECONDS } from '../config.ts';
import type { SyncMode } from '../stripe/sync-stages.ts';
import { beginRun, openRun, pagesOfLastFull, type SyncRunRow } from './runs/sync-run.table.ts';

/** Returns the open run of the connection, or begins one. */
export async function resumeRun(tx: WriteTransaction, connection: ClaimedConnection, now: Date): Promise<SyncRunRow> {
  const organizationId = connection.organizationId;
  const open = await openRun(tx, organizationId);
  if (open !== null) return open;
  const mode = chooseMode({
    now,
    requestedFull:
      connection.requestedFull &&
      connection.requestedAt !== null &&
      (connection.lastSyncAt === null || connection.requestedAt > connection.lastSyncAt),
    lastSyncAt: toDate(connection.lastSyncAt),
    lastFullSyncAt: toDate(connection.lastFullSyncAt),
    pagesOfLastFull: await pagesOfLastFull(tx, organizationId),
    eventsOffered: connection.eventsOffered,
  });
  return beginRun(tx, organizationId, randomUuid(), mode, now);
}

function toDate(iso: string | null): Date | null {
  return iso === null ? null : new Date(iso);
}

interface SyncHistory {
  readonly now: Date;
  readonly requestedFull: boolean;
  readonly lastSyncAt: Date | null;
  readonly lastFullSyncAt: Date | null;
  /** Pages read by the last full run. */
  readonly pagesOfLastFull: number | null;
  /** False once the processor has refused to list its events. */
  readonly eventsOffered: boolean;
}

/**
 * Chooses between a full and an incremental sync. Full: the first sync, on request, once a day, and if the processor
 * has no events or has deleted some since. Small accounts are always read in full: it is cheap and misses nothing.
 */
function chooseMode(history: SyncHistory): SyncMode {
  const { now, requestedFull, lastSyncAt, lastFullSyncAt, pagesOfLastFull, eventsOffered } = history;
  if (requestedFull || lastFullSyncAt === null || lastSyncAt === null || !eventsOffered) return 'full';
  if ((pagesOfLastFull ?? 0) <= ALWAYS_FULL_PAGES_MAX) return 'full';
  if (secondsSince(lastFullSyncAt, now) >= FULL_SYNC_INTERVAL_SECONDS) return 'full';
  return secondsSince(lastSyncAt, now) >= EVENTS_KEPT_SECONDS ? 'full' : 'incremental';
}

function secondsSince(then: Date, now: Date): number {
  return (now.getTime() - then.getTime()) / 1000;
}
