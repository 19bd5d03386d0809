/**
 * The yardstick of ingestion: the leanest way to store the same events durably and count each key once. It uses one
 * prepared statement over the same number of connections. The table has the events' columns, a primary key in arrival
 * order and the unique key, and no other index. It lives in its own schema of the same database.
 */
import { elapsedMilliseconds, now } from '#platform/clock.ts';
import { arrayLiteral } from '#platform/database/array-literal.ts';
import { randomBytes, randomUuid } from '#platform/random.ts';
import { meterCpu } from './cpu-meter.ts';
import { type DatabaseConnection, connectDatabase } from './database-connection.ts';
import type { Service } from './start-service.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { EVENTS_PER_BATCH } from './signed-batches.ts';
import type { Shape } from '../workload/customer.ts';
import { type SentEvent, usageEvent } from '../workload/usage-event.ts';

export interface RawRun {
  readonly rowsPerSecond: number;
  /** CPU microseconds per row, of the server and of this process. */
  readonly cpu: number;
}

export interface RawInserts {
  run(seconds: number): Promise<RawRun>;
  close(): Promise<void>;
}

const TABLE = 'benchmark.usage_event';
const DATABASE = 'costing';

const COLUMNS: readonly (readonly [name: string, type: string, of: (event: SentEvent) => string | number | null])[] = [
  ['idempotency_key', 'text', (event) => event.idempotency_key],
  ['model', 'text', (event) => event.model],
  ['provider', 'text', (event) => event.provider],
  ['end_user_external_id', 'text', (event) => event.user_id],
  ['input_tokens', 'bigint', (event) => event.input_tokens],
  ['output_tokens', 'bigint', (event) => event.output_tokens],
  ['cache_read_input_tokens', 'bigint', ({ cache_read_input_tokens = null }) => cache_read_input_tokens],
  ['event_time', 'timestamptz', (event) => event.event_invoked_at],
  ['session_id', 'text', ({ session_id = null }) => session_id],
  ['feature', 'text', (event) => event.feature],
  ['agent_id', 'text', (event) => event.agent_id],
  ['metadata', 'json', (event) => JSON.stringify(event.metadata)],
];

const CREATE = `
  create schema if not exists benchmark;
  create table if not exists ${TABLE} (
    organization_id uuid not null, id uuid not null, livemode boolean not null, received_at timestamptz not null,
    ${COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ')},
    primary key (organization_id, id), unique (organization_id, livemode, idempotency_key))`;

const INSERT = `
  insert into ${TABLE} (organization_id, livemode, received_at, id, ${COLUMNS.map(([name]) => name).join(', ')})
  select $1, true, now(), item.* from unnest($2::uuid[], ${COLUMNS.map(([, type], index) => `$${index + 3}::${type}[]`).join(', ')}) as item
  on conflict (organization_id, livemode, idempotency_key) do nothing`;

/** Batches generated ahead of the clock. */
const BATCHES_AHEAD = 2_000;

export async function openRawInserts(
  service: Service,
  connections: number,
  {
    eventsPerBatch = EVENTS_PER_BATCH,
    shape = 'live',
  }: { readonly eventsPerBatch?: number; readonly shape?: Shape } = {},
): Promise<RawInserts> {
  const open: DatabaseConnection[] = [];
  while (open.length < connections) open.push(await connectDatabase(service.dataDirectory, DATABASE));
  const [first] = open;
  await first?.client.query(CREATE);
  const organizationId = randomUuid();
  return {
    async run(seconds) {
      const ahead = Array.from({ length: BATCHES_AHEAD }, (_, batch) =>
        makeParameters(batch, organizationId, { eventsPerBatch, shape }),
      );
      let inserted = 0;
      const used = meterCpu(service);
      const started = elapsedMilliseconds();
      const until = started + seconds * 1000;
      await Promise.all(
        open.map(async ({ client }) => {
          while (elapsedMilliseconds() < until) {
            const parameters = ahead.pop() ?? makeParameters(inserted, organizationId, { eventsPerBatch, shape });
            inserted += (await client.query({ name: 'raw', text: INSERT, values: parameters })).rowCount ?? 0;
          }
        }),
      );
      const milliseconds = elapsedMilliseconds() - started;
      const { postgres, sender } = used();
      return { rowsPerSecond: (inserted / milliseconds) * 1000, cpu: ((postgres + sender) / inserted) * 1000 };
    },
    async close() {
      for (const { close } of open) await close();
    },
  };
}

function makeParameters(
  batch: number,
  organizationId: string,
  { eventsPerBatch, shape }: { readonly eventsPerBatch: number; readonly shape: Shape },
): unknown[] {
  const key = randomBytes(8).toString('hex');
  const before = now();
  const events = Array.from({ length: eventsPerBatch }, (_, item) =>
    usageEvent(batch * eventsPerBatch + item, `${key}-${item}`, before, shape),
  );
  return [
    organizationId,
    arrayLiteral(uuidsV7(eventsPerBatch)),
    ...COLUMNS.map(([, , of]) => arrayLiteral(events.map(of))),
  ];
}
