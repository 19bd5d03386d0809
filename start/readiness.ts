/** Whether this process can serve: its databases answer, their migrations are done, and how much waits to be priced. */
import type { Database } from '../platform/database/open-database.ts';
import { query } from '../platform/database/sql.ts';
import type { GatewayClient } from '../platform/gateway-client.ts';
import { observedGauge } from '../platform/metrics.ts';
import { servicePrincipal } from '../platform/principal.ts';
import { randomUuid } from '../platform/random.ts';
import { graphql } from '../schema/graphql.ts';
import type { Readiness } from './http-app.ts';

interface Backlog {
  pendingEvents: number;
  feedLag: number;
  oldestPendingSeconds: number;
}

const BACKLOG = graphql('query PricingBacklog { pricingBacklog { pendingEvents feedLag oldestPendingSeconds } }');

export function readinessOf(databases: readonly Database[], gateway: GatewayClient | null): Readiness {
  return async () => {
    const states = await Promise.all(databases.map(async (database) => [database.name, await databaseState(database)] as const));
    const backlog = gateway ? await readBacklog(gateway).catch(() => null) : null;
    const ready = states.every(([, state]) => state === 'ok') && (gateway === null || backlog !== null);
    return { ready, databases: Object.fromEntries(states), ...(gateway ? { backlog: backlog && { pending_events: backlog.pendingEvents, feed_lag: backlog.feedLag } } : {}) };
  };
}

/** Figures of the whole service, looked up when `/metrics` is read. */
export function observeBacklog(gateway: GatewayClient): void {
  const read = (figure: keyof Backlog) => async () => (await readBacklog(gateway).catch(() => null))?.[figure] ?? null;
  observedGauge('pricing_backlog_events', 'Accepted events whose turn has not come.', read('pendingEvents'));
  observedGauge('pricing_oldest_pending_seconds', 'Age of the oldest event that waits for its turn.', read('oldestPendingSeconds'));
  observedGauge('feed_lag_batches', 'Batches of the feed that the slowest follower has not acknowledged.', read('feedLag'));
}

async function readBacklog(gateway: GatewayClient): Promise<Backlog> {
  const { data } = await gateway.execute(BACKLOG, {}, servicePrincipal('metrics', randomUuid()));
  if (!data) throw new Error('The backlog cannot be read');
  return data.pricingBacklog;
}

async function databaseState(database: Database): Promise<string> {
  try {
    await database.acrossOrganizations((em) => query(em, 'select 1'));
    return (await database.orm.migrator.getPending()).length === 0 ? 'ok' : 'migrations are pending';
  } catch {
    return 'unreachable';
  }
}
