/** A sync run as returned to clients. */
import { enumValue } from '#kernel/enum-value.ts';
import type { SyncRunRow } from './sync-run.table.ts';
import type { RevenueSyncRun } from '../../resolvers.generated.ts';

/** `error`: the connection's error. Only a running run can have caused it. */
export function toSyncRunView(run: SyncRunRow, error: string | null): RevenueSyncRun {
  return {
    id: run.id,
    mode: enumValue(run.mode),
    state: enumValue(run.state),
    finished: run.state === 'finished',
    stage: enumValue(run.stage),
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
