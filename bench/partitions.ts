/**
 * Benefit of monthly partitions: the same facts in one table and in one partitioned by month. Measures inserts in time
 * order, a read of one end user's month, and the removal of the oldest month.
 */
import type { Client } from 'pg';
import { DAY_MS } from '#kernel/time/duration.ts';
import { elapsedMilliseconds, now } from '#platform/clock.ts';
import { loadEndUsers, loadFacts } from './read/load-attribution.ts';
import { connectDatabase } from './support/database-connection.ts';
import type { BenchOptions } from './support/options.ts';
import { createOrganization } from './support/organization.ts';
import { postgresCpuMilliseconds } from './support/process-usage.ts';
import type { Figure, Report } from './support/report.ts';
import { startService } from './support/start-service.ts';
import { median, spread } from './support/statistics.ts';
import { END_USER_SHARES } from './workload/customer.ts';

const DAYS = 365;
const LOADED_AT_ONCE = 100_000;
/** Facts in one transaction of a busy consumer of the feed. */
const NEW_AT_ONCE = 500;
const NEW = 100_000;
const READS = 200;

const INDEXES = [
  '(organization_id, event_time)',
  '(organization_id, end_user_id, event_time)',
  '(organization_id, session_id) where session_id is not null',
] as const;

const SIDES = ['one table', 'by month'] as const;
type Side = (typeof SIDES)[number];
const TABLE: Readonly<Record<Side, string>> = { 'one table': 'fact_whole', 'by month': 'fact_by_month' };

export async function measurePartitions({ events: sizes, progress }: BenchOptions): Promise<Report> {
  const events = Math.max(...sizes);
  const service = await startService();
  const { id: organizationId } = await createOrganization(service, 'Partitions');
  const { client, close } = await connectDatabase(service.dataDirectory, 'attribution');
  await client.query('set synchronous_commit = off');
  const end = now();
  const start = new Date(end.getTime() - DAYS * DAY_MS);
  await loadEndUsers(client, organizationId, start.toISOString());
  for (let after = 0; after < events; after += LOADED_AT_ONCE) {
    const upTo = Math.min(after + LOADED_AT_ONCE, events);
    const span = { organizationId, after, upTo, loadAfter: 0, loadUpTo: events, latest: end, days: DAYS };
    await loadFacts(client, span);
    if (after % 1_000_000 === 0) progress(`partitions: ${after.toLocaleString('en')} facts`);
  }
  await makeTables(client, start, end);
  await client.query(
    `create table fact_new as select (row_number() over (order by event_time, event_id) - 1) / ${NEW_AT_ONCE} as part, newest.*
     from (select * from cost_fact order by event_time desc, event_id desc limit ${NEW}) as newest`,
  );
  await client.query('create index on fact_new (part)');
  await client.query('create index on fact_new (event_id)');
  await client.query('vacuum analyze fact_new');
  const { rows } = await client.query<{ columns: string }>(
    `select string_agg(attname, ', ' order by attnum) as columns from pg_attribute
     where attrelid = 'cost_fact'::regclass and attnum > 0 and not attisdropped`,
  );
  const columns = rows[0]?.columns ?? '';
  const cpu = () => postgresCpuMilliseconds(service.dataDirectory);
  const figures: Figure[] = [];
  for (const side of SIDES)
    figures.push(...(await measureSide(client, side, { organizationId, end, columns, cpu, progress })));
  await close();
  await service.stop();
  return {
    benchmark: 'partitions',
    figures,
    notes: [
      `${events.toLocaleString('en')} facts of ${DAYS} days and ${END_USER_SHARES.length} end users, with the indexes of the fact table.`,
    ],
  };
}

async function makeTables(client: Client, start: Date, end: Date): Promise<void> {
  await client.query(`create table ${TABLE['one table']} (like cost_fact including defaults)`);
  await client.query(
    `create table ${TABLE['by month']} (like cost_fact including defaults) partition by range (event_time)`,
  );
  const month = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth()));
  for (let number = 0; month <= end; number++) {
    const from = month.toISOString();
    month.setUTCMonth(month.getUTCMonth() + 1);
    await client.query(
      `create table fact_month_${number} partition of ${TABLE['by month']} for values from ('${from}') to ('${month.toISOString()}')`,
    );
  }
  // The key of a partitioned table must contain the partition column. So nothing prevents an event from existing twice,
  // in two months.
  await client.query(`alter table ${TABLE['one table']} add primary key (organization_id, event_id, sequence)`);
  await client.query(
    `alter table ${TABLE['by month']} add primary key (organization_id, event_id, sequence, event_time)`,
  );
  for (const side of SIDES) for (const index of INDEXES) await client.query(`create index on ${TABLE[side]} ${index}`);
}

interface Measured {
  readonly organizationId: string;
  readonly end: Date;
  /** Columns of a fact. */
  readonly columns: string;
  /** Milliseconds of CPU used by the server. */
  readonly cpu: () => number;
  readonly progress: (message: string) => void;
}

async function measureSide(
  client: Client,
  side: Side,
  { organizationId, end, columns, cpu, progress }: Measured,
): Promise<Figure[]> {
  const table = TABLE[side];
  progress(`partitions: ${side} is filled`);
  await client.query(
    `insert into ${table} (${columns}) select ${columns} from cost_fact
     where not exists (select from fact_new where fact_new.event_id = cost_fact.event_id) order by event_time`,
  );
  await client.query(`vacuum analyze ${table}`);
  await client.query('checkpoint');

  progress(`partitions: ${side} is measured`);
  const before = cpu();
  for (let part = 0; part < NEW / NEW_AT_ONCE; part++)
    await client.query(`insert into ${table} (${columns}) select ${columns} from fact_new where part = $1`, [part]);
  const inserted = cpu() - before;

  const times: number[] = [];
  for (let read = 0; read < READS; read++) {
    const from = new Date(end.getTime() - (45 + (read % 300)) * DAY_MS).toISOString();
    const until = new Date(end.getTime() - (15 + (read % 300)) * DAY_MS).toISOString();
    const began = elapsedMilliseconds();
    await client.query(
      `select model_slug, sum(total_cost), count(*) from ${table} where organization_id = $1
         and end_user_id = (select id from end_user where organization_id = $1 order by id offset $2 limit 1)
         and event_time >= $3::timestamptz and event_time < $4::timestamptz group by 1`,
      [organizationId, read, from, until],
    );
    times.push(elapsedMilliseconds() - began);
  }

  const { rows } = await client.query<{ bytes: number }>(
    `select sum(pg_indexes_size(part))::float8 as bytes
     from (select $1::regclass as part union all select inhrelid from pg_inherits where inhparent = $1::regclass) as parts`,
    [table],
  );
  const began = elapsedMilliseconds();
  await removeOldestMonths(client, side);
  const removed = elapsedMilliseconds() - began;
  return [
    { name: `${side}: insert of a fact, in time order`, value: (inserted / NEW) * 1000, unit: 'µs of CPU' },
    { name: `${side}: read of an end user's month`, value: median(times), unit: 'ms', spread: spread(times) },
    { name: `${side}: indexes`, value: (rows[0]?.bytes ?? NaN) / 1024 ** 2, unit: 'MB' },
    { name: `${side}: removal of the two oldest months`, value: removed, unit: 'ms' },
  ];
}

/** Removes two months, since the first one may be nearly empty. */
async function removeOldestMonths(client: Client, side: Side): Promise<void> {
  if (side === 'by month') return void (await client.query('drop table fact_month_0, fact_month_1'));
  const { rows } = await client.query<{ until: string }>(
    `select (date_trunc('month', min(event_time), 'UTC') + interval '2 months')::text as until from ${TABLE[side]}`,
  );
  await client.query(`delete from ${TABLE[side]} where event_time < $1`, [rows[0]?.until]);
  await client.query(`vacuum ${TABLE[side]}`);
}
