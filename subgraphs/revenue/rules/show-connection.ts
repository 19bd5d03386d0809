/** What people see of a connection, a run and a customer: never the key. */
import { endUserId } from '../../../schema/end-user-id.ts';
import type { CustomerRow, MappingConflict } from '../data/customer.ts';
import type { PaymentConnection } from '../data/payment-connection.ts';
import type { SyncRunRow } from '../data/sync-run.ts';
import type { RevenueConnection, RevenueCustomer, RevenueMappingConflict, RevenueSyncRun } from '../resolvers.generated.ts';

export function showConnection(connection: PaymentConnection): Omit<RevenueConnection, 'runs'> {
  const isConnected = connection.status === 'connected';
  return {
    id: connection.id,
    processor: connection.processor,
    status: isConnected && connection.lastError !== null ? 'failing' : connection.status,
    keyEnding: connection.keyEnding,
    apiBase: connection.apiBase,
    endUserKey: connection.endUserKey,
    connectedAt: connection.connectedAt,
    disconnectedAt: connection.disconnectedAt,
    lastSyncAt: connection.lastSyncAt,
    error: isConnected ? connection.lastError : null,
    nextSyncAt: isConnected ? connection.dueAt : null,
  };
}

/** `error` is the connection's: only the run that is under way can have met it. */
export function showRun(run: SyncRunRow, error: string | null): RevenueSyncRun {
  return {
    id: run.id, mode: run.mode, state: run.state, finished: run.state === 'finished', stage: run.stage, pages: run.pages,
    customers: run.customers, subscriptions: run.subscriptions, invoices: run.invoices,
    recordsCreated: run.records_created, recordsUpdated: run.records_updated, recordsSkipped: run.records_skipped,
    recordsInOtherCurrencies: run.records_in_other_currencies, notes: run.notes,
    error: run.state === 'running' ? error : null,
    startedAt: run.started_at, finishedAt: run.finished_at,
  };
}

export function showCustomer(organizationId: string, customer: CustomerRow): RevenueCustomer {
  const externalId = customer.linked_external_id ?? customer.metadata_external_id;
  return {
    id: customer.id, name: customer.name, metadataExternalId: customer.metadata_external_id, linkedExternalId: customer.linked_external_id,
    endUserId: externalId === null ? null : endUserId(organizationId, externalId), deleted: customer.deleted,
  };
}

export function showConflict({ external_id, customer_ids, contradicts }: MappingConflict): RevenueMappingConflict {
  const several = customer_ids.length > 1 ? `${customer_ids.length} customers stand for this end user: their revenue adds up` : null;
  const contradiction = contradicts === true ? 'a link contradicts the metadata of a customer: the link wins' : null;
  return { externalId: external_id, customerIds: customer_ids, message: [several, contradiction].filter((part) => part !== null).join('; ') };
}
