/** Whether a sync reads every list whole or only what is new. */
import { ALWAYS_FULL_PAGES_MAX, EVENTS_KEPT_SECONDS, FULL_SYNC_INTERVAL_SECONDS } from '../config.ts';
import type { SyncMode } from '../stripe/sync-stages.ts';

export interface SyncHistory {
  readonly now: Date;
  readonly requestedFull: boolean;
  readonly lastSyncAt: Date | null;
  readonly lastFullSyncAt: Date | null;
  /** Pages that the last full run took. */
  readonly pagesOfLastFull: number | null;
  /** Whether the last run could read what has changed. */
  readonly eventsOffered: boolean;
}

/**
 * Whole the first time, when somebody asks for it, once a day, when the processor's events do not tell (any more) what has changed,
 * and always where that takes few pages: an answer that trusts nothing is the best one while it is cheap.
 */
export function chooseMode(history: SyncHistory): SyncMode {
  const { now, requestedFull, lastSyncAt, lastFullSyncAt, pagesOfLastFull, eventsOffered } = history;
  if (requestedFull || lastFullSyncAt === null || lastSyncAt === null || !eventsOffered) return 'full';
  if ((pagesOfLastFull ?? 0) <= ALWAYS_FULL_PAGES_MAX) return 'full';
  if (secondsSince(lastFullSyncAt, now) >= FULL_SYNC_INTERVAL_SECONDS) return 'full';
  return secondsSince(lastSyncAt, now) >= EVENTS_KEPT_SECONDS ? 'full' : 'incremental';
}

function secondsSince(then: Date, now: Date): number {
  return (now.getTime() - then.getTime()) / 1000;
}
