/** An organization that ingests: its database, its keys, and plain events to send. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { query } from '../../../platform/database/sql.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { costing } from '../../../subgraphs/costing/main.ts';
import { ingestUsageEvents } from '../../../subgraphs/costing/ingestion/ingest-usage-events.operation.ts';
import { freshDatabase } from '../../support/fresh-database.ts';

export const log = pino({ level: 'silent' });

export interface Ingesting {
  readonly organizationId: string;
  readonly live: SubgraphContext;
  readonly test: SubgraphContext;
  /** Another organization in the same database. */
  readonly stranger: SubgraphContext;
  readonly rows: <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;
  readonly close: () => Promise<void>;
}

export async function startIngesting(): Promise<Ingesting> {
  const database = await freshDatabase(costing);
  const organizationId = randomUUID();
  const accountUserId = randomUUID();
  const contextOf = (organization: string, environment: 'live' | 'test'): SubgraphContext => ({
    database,
    log,
    principal: {
      kind: 'api-key',
      organizationId: organization,
      accountUserId,
      credentialId: randomUUID(),
      credentialName: 'Key',
      environment,
      expiresAt: null,
      grants: ['usage:write', 'usage:read'],
      correlationId: 'test',
    },
  });
  return {
    organizationId,
    live: contextOf(organizationId, 'live'),
    test: contextOf(organizationId, 'test'),
    stranger: contextOf(randomUUID(), 'live'),
    rows: (sql, parameters = []) => database.acrossOrganizations((em) => query(em, sql, parameters)),
    close: () => database.close(),
  };
}

/** An event that nothing is wrong with and that a caller priced. */
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

/** Sends a batch and says how it went in one letter an item: accepted, flagged, payment required, validation error. */
export async function send(context: SubgraphContext, items: unknown[]): Promise<string> {
  const { results } = await ingestUsageEvents(context, items);
  return results
    .map((result) => {
      if (result.status === 'rejected')
        return result.error === 'PAYMENT_REQUIRED' ? 'p' : result.error === 'VALIDATION_ERROR' ? 'v' : '!';
      return result.status === 'accepted' ? 'a' : 'f';
    })
    .join('');
}
