/** A connection as returned to clients, without the key. */
import { enumValue } from '#kernel/enum-value.ts';
import type { PaymentConnection } from './payment-connection.table.ts';
import type { RevenueConnection } from '../resolvers.generated.ts';

/** Sync runs and set-aside objects are separate queries. */
export type ConnectionView = Omit<
  RevenueConnection,
  'runs' | 'setAsideObjects' | 'setAsideCount' | 'customerCount' | 'unmappedCustomerCount'
>;

export function toConnectionView(connection: PaymentConnection): ConnectionView {
  const isConnected = connection.status === 'connected';
  const status = isConnected && connection.lastError !== null ? 'failing' : connection.status;
  return {
    id: connection.id,
    processor: connection.processor,
    state: enumValue(status),
    keyEnding: connection.keyEnding,
    keyMode: connection.keyMode === null ? null : enumValue(connection.keyMode),
    apiBase: connection.apiBase,
    endUserKey: connection.endUserKey,
    connectedAt: connection.connectedAt,
    disconnectedAt: connection.disconnectedAt,
    lastSyncAt: connection.lastSyncAt,
    error: isConnected ? connection.lastError : null,
    nextSyncAt: isConnected ? connection.dueAt : null,
  };
}
