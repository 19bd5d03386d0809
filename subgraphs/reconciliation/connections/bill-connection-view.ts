/** A connection as the graph returns it, without its key. */
import type { BillConnection } from '../resolvers.generated.ts';
import type { BillConnectionRow } from './bill-connection.table.ts';

export interface LastPull {
  readonly connectionId: string;
  /** ISO 8601 UTC. */
  readonly fetchedAt: string;
  readonly toDay: string;
  readonly pulls: number;
}

export function toBillConnectionView(connection: BillConnectionRow, last: LastPull | null): BillConnection {
  const { id, source, name, keyEnding, untrackedScopes, settleHours, lastError, failures } = connection;
  return {
    id,
    source,
    name,
    isPulled: connection.sealedKey !== null,
    keyEnding,
    untrackedScopes,
    settleHours,
    lastError,
    state: failures > 0 ? 'FAILING' : 'OK',
    fetchedAt: last?.fetchedAt ?? null,
    lastDay: last?.toDay ?? null,
    pulls: last?.pulls ?? 0,
  };
}
