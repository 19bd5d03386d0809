/** A costing subgraph that ingests, prices and can be operated, without other subgraphs, and events to send. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import type { Database } from '#platform/database/open-database.ts';
import { query } from '#platform/database/sql.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { priceEventsJob } from '../../../subgraphs/costing/pricing-queue/price-events.job.ts';
import { costing } from '../../../subgraphs/costing/main.ts';
import { ingestUsageEvents } from '../../../subgraphs/costing/ingestion/ingest-usage-events.operation.ts';
import { summarizeCosts } from '../../../subgraphs/costing/ledger/summarize-costs.operation.ts';
import { emptyDatabase } from '../../support/fresh-database.ts';

export const log = pino({ level: 'silent' });

export interface Costing {
  readonly organizationId: string;
  readonly database: Database;
  /** Contexts that ingest and read. */
  readonly live: SubgraphContext;
  readonly test: SubgraphContext;
  /** Another organization in the same database. */
  readonly stranger: SubgraphContext;
  /** The operator, for this organization and for everybody. */
  readonly operator: SubgraphContext;
  readonly global: SubgraphContext;
  readonly rows: <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;
  /** Sends events, at most 100 per batch; returns their ids. */
  readonly send: (events: readonly object[], context?: SubgraphContext) => Promise<string[]>;
  /** Runs the pricing job until nothing is due. */
  readonly settle: () => Promise<void>;
  /** Total cost by event id, from the ledger. */
  readonly costs: () => Promise<Record<string, string>>;
  readonly counts: () => Promise<{ completed: number; failed: number; pending: number; pendingRateCard: number }>;
  readonly close: () => Promise<void>;
}

export async function startCosting(database?: Database): Promise<Costing> {
  const own = database ?? (await emptyDatabase(costing));
  const organizationId = randomUUID();
  const contextOf = (
    kind: 'api-key' | 'operator',
    organization: string | null,
    environment: 'live' | 'test' | null,
  ): SubgraphContext => ({
    database: own,
    log,
    principal: {
      kind,
      organizationId: organization,
      accountUserId: kind === 'operator' ? null : organizationId,
      credentialId: null,
      credentialName: null,
      environment,
      expiresAt: null,
      grants: kind === 'api-key' ? ['usage:write', 'usage:read'] : [],
      correlationId: 'test',
    },
  });
  const live = contextOf('api-key', organizationId, 'live');
  const rows = <Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> =>
    own.system((tx) => query<Row>(tx, sql, parameters));
  const job = priceEventsJob({ database: own, log });
  return {
    organizationId,
    database: own,
    live,
    rows,
    test: contextOf('api-key', organizationId, 'test'),
    stranger: contextOf('api-key', randomUUID(), 'live'),
    operator: contextOf('operator', organizationId, null),
    global: contextOf('operator', null, null),
    async send(events, context = live) {
      const ids: string[] = [];
      for (let from = 0; from < events.length; from += 100) {
        const { results } = await ingestUsageEvents(context, events.slice(from, from + 100));
        ids.push(...results.map((result) => ('event_id' in result ? result.event_id : JSON.stringify(result))));
      }
      return ids;
    },
    async settle() {
      while ((await job.step()) === 'more');
    },
    async costs() {
      const found = await rows<{ id: string; cost: string }>(
        'select event_id as id, trim_scale(sum(total_cost))::text as cost from cost_entry where organization_id = $1 group by 1',
        [organizationId],
      );
      return Object.fromEntries(found.map(({ id, cost }) => [id, cost]));
    },
    async counts() {
      return (await summarizeCosts(live, 'LAST_90_DAYS')).statusCounts;
    },
    close: () => own.close(),
  };
}

let sent = 0;

/** An event of an hour ago, for a model without a card. */
export function call(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    idempotency_key: `call-${++sent}`,
    model: 'acme-1',
    input_tokens: 1_000,
    output_tokens: 100,
    event_invoked_at: new Date(Date.now() - 3_600_000).toISOString(),
    ...more,
  };
}

export function calls(count: number, more: Record<string, unknown> = {}): Record<string, unknown>[] {
  return Array.from({ length: count }, () => call(more));
}

/** A valid event with a cost stated by the caller. */
export function event(idempotencyKey: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    idempotency_key: idempotencyKey,
    model: 'any-model',
    input_tokens: 10,
    output_tokens: 5,
    event_invoked_at: new Date().toISOString(),
    cost_override: '0.01',
    ...more,
  };
}

export function events(count: number, prefix: string, more: Record<string, unknown> = {}): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => event(`${prefix}-${index}`, more));
}

/** Sends a batch and returns a letter for each item's status: accepted, flagged, payment required, validation error. */
export async function statuses(context: SubgraphContext, items: unknown[]): Promise<string> {
  const { results } = await ingestUsageEvents(context, items);
  return results
    .map((result) => {
      if (result.status === 'rejected')
        return result.error === 'PAYMENT_REQUIRED' ? 'p' : result.error === 'VALIDATION_ERROR' ? 'v' : '!';
      return result.status === 'accepted' ? 'a' : 'f';
    })
    .join('');
}
