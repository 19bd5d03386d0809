/** What people see of a connection: never the key. */
import type { PaymentConnection } from './payment-connection.table.ts';
import type { RevenueConnection } from '../resolvers.generated.ts';

/** Its runs and what is set aside are asked for apart. */
export type ConnectionView = Omit<
  RevenueConnection,
  'runs' | 'setAside' | 'setAsideCount' | 'customerCount' | 'unmappedCustomerCount'
>;

const KEY_MODES = { live: 'LIVE', test: 'TEST' } as const;

export function toConnectionView(connection: PaymentConnection): ConnectionView {
  const isConnected = connection.status === 'connected';
  return {
    id: connection.id,
    processor: connection.processor,
    status: isConnected && connection.lastError !== null ? 'failing' : connection.status,
    keyEnding: connection.keyEnding,
    keyMode: connection.keyMode === null ? null : KEY_MODES[connection.keyMode],
    apiBase: connection.apiBase,
    endUserKey: connection.endUserKey,
    connectedAt: connection.connectedAt,
    disconnectedAt: connection.disconnectedAt,
    lastSyncAt: connection.lastSyncAt,
    error: isConnected ? connection.lastError : null,
    nextSyncAt: isConnected ? connection.dueAt : null,
  };
}
