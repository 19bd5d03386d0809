/** What people see of a run of the sync. */
import type { SyncRunRow } from './sync-run.table.ts';
import type { RevenueSyncRun } from '../../resolvers.generated.ts';

/** `error` is the connection's: only the run that is under way can have met it. */
export function toSyncRunView(run: SyncRunRow, error: string | null): RevenueSyncRun {
  return {
    id: run.id,
    mode: run.mode,
    state: run.state,
    finished: run.state === 'finished',
    stage: run.stage,
    pages: run.pages,
    customers: run.customers,
    subscriptions: run.subscriptions,
    invoices: run.invoices,
    recordsCreated: run.recordsCreated,
    recordsUpdated: run.recordsUpdated,
    recordsSkipped: run.recordsSkipped,
    recordsInOtherCurrencies: run.recordsInOtherCurrencies,
    notes: run.notes,
    error: run.state === 'running' ? error : null,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
  };
}
