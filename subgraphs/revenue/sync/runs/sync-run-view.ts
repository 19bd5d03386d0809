/** A sync run as returned to clients. */
import { enumValue } from '#kernel/enum-value.ts';
import type { SyncRunRow } from './sync-run.table.ts';
import type { RevenueSyncRun } from '../../resolvers.generated.ts';

/** `error`: the connection's error. Only a running run can have caused it. */
export function toSyncRunView(run: SyncRunRow, error: string | null): RevenueSyncRun {
  return {
    id: run.id,
    mode: run.mode,
    syncMode: enumValue(run.mode),
    state: run.state,
    syncState: enumValue(run.state),
    finished: run.state === 'finished',
    stage: run.stage,
    syncStage: enumValue(run.stage),
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
