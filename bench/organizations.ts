/**
 * Cost of many organizations: the same number of events, from one organization and from thousands, first priced and
 * then attributed. Also compares two consumers of the feed with one, and measures the visibility of an event while
 * thousands of organizations have events.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { EVENTS_PER_JOB, queueEvents } from './organizations/queued-events.ts';
import { settle } from './support/ask-operator.ts';
import { type RunningChild, startChild } from './support/child-process.ts';
import { type CpuTime, meterCpu } from './support/cpu-meter.ts';
import { temporaryDataDirectory } from './support/data-directory.ts';
import { connectDatabase, databaseUrl } from './support/database-connection.ts';
import { freePort } from './support/free-port.ts';
import { createOrganization } from './support/organization.ts';
import type { BenchOptions } from './support/options.ts';
import type { Figure, Report } from './support/report.ts';
import { watchSentinels } from './support/sentinels.ts';
import { openRawInserts } from './support/raw-insert.ts';
import { type Service, startService } from './support/start-service.ts';
import { median, quantile, spread } from './support/statistics.ts';

const POLL_MILLISECONDS = 5;
const BATCH_MILLISECONDS = 100;
const DATABASES = ['identity', 'costing', 'attribution', 'revenue', 'alerting', 'reconciliation'] as const;
const FEW = 1;
const YARDSTICK_SECONDS = 8;
/** The load while events are watched, as a share of the yardstick's rows: half of what one organization is to reach. */
const LOAD_OF_YARDSTICK = 0.075;

interface Drain {
  readonly eventsPerSecond: number;
  /** Microseconds per event, over all participants. */
  readonly cpu: number;
}

interface Run {
  readonly priced: Drain;
  readonly followed: Drain;
}

interface Bench {
  readonly service: Service;
  readonly costing: Client;
  readonly attribution: Client;
}

export async function measureOrganizations(options: BenchOptions): Promise<Report> {
  const { rounds, seconds, organizations, progress } = options;
  const service = await startService();
  const bench: Bench = {
    service,
    costing: (await connectDatabase(service.dataDirectory, 'costing')).client,
    attribution: (await connectDatabase(service.dataDirectory, 'attribution')).client,
  };
  const events = organizations * EVENTS_PER_JOB;
  const first = await drain(bench, organizations, events);
  progress(`organizations: the first ${EVENTS_PER_JOB} events of each ${describe(first)}`);
  const few: Run[] = [];
  const many: Run[] = [];
  for (let round = 0; round < rounds; round++) {
    few.push(await drain(bench, FEW, events));
    many.push(await drain(bench, organizations, events));
    progress(`organizations: ${FEW} ${describe(few.at(-1)!)}; ${organizations} ${describe(many.at(-1)!)}`);
  }
  const yardstick = await openRawInserts(service, options.connections);
  const { rowsPerSecond } = await yardstick.run(YARDSTICK_SECONDS);
  await yardstick.close();
  const background = Math.round(LOAD_OF_YARDSTICK * rowsPerSecond);
  const visible = await watchAmongMany(bench, organizations, seconds, background);
  const second = await startSecond(service);
  const shared: Run[] = [];
  for (let round = 0; round < rounds; round++) shared.push(await drain(bench, organizations, events));
  await second.stop();
  await service.stop();

  const pricing = rates('priced', few, many);
  const following = rates('attributed', few, many);
  const followers = shared.map(
    ({ followed }, round) => followed.eventsPerSecond / many[round]!.followed.eventsPerSecond,
  );
  return {
    benchmark: 'organizations',
    figures: [
      ...pricing,
      ...following,
      {
        name: 'attributed by two processes, relative to one',
        value: median(followers),
        unit: '',
        spread: spread(followers),
        atLeast: 1,
      },
      { name: 'time from accepted to visible, median', value: median(visible), unit: 'ms' },
      { name: 'time from accepted to visible, 99 %', value: quantile(visible, 0.99), unit: 'ms', atMost: 250 },
    ],
    notes: [
      `${events} events queued at once in jobs of ${EVENTS_PER_JOB}, from one organization and from ${organizations}. Attribution starts when all are priced.`,
      `Visible: ${visible.length} events while ${background} events per second of ${organizations} organizations are priced and attributed.`,
    ],
  };
}

/** Prices all events while the consumer of the feed is blocked, then lets it continue. */
async function drain({ service, costing, attribution }: Bench, organizations: number, events: number): Promise<Run> {
  await settle(service);
  await costing.query('checkpoint');
  await attribution.query('begin; lock table feed_place in exclusive mode');
  const priced = await measure(service, events, async () => {
    await queueEvents(costing, organizations, events);
    return async () => waitUntil(costing, 'select not exists (select from pricing_job) as "isSo"');
  });
  const before = 'select coalesce(sum(number), 0)::text as number from feed_place';
  const { rows } = await attribution.query<{ number: string }>(before);
  await attribution.query('commit');
  const followed = await measure(service, events, async () => {
    // A consumer that waited for the table may sleep for a while.
    await waitUntil(attribution, `select number <> '${rows[0]?.number}' as "isSo" from (${before}) as place`);
    return () => settle(service);
  });
  return { priced, followed };
}

async function measure(service: Service, events: number, begin: () => Promise<() => Promise<void>>): Promise<Drain> {
  const toTheEnd = await begin();
  const used = meterCpu(service);
  const started = elapsedMilliseconds();
  await toTheEnd();
  const milliseconds = elapsedMilliseconds() - started;
  return { eventsPerSecond: (events / milliseconds) * 1_000, cpu: (total(used()) / events) * 1_000 };
}

async function waitUntil(client: Client, sql: string): Promise<void> {
  while ((await client.query<{ isSo: boolean }>(sql)).rows[0]?.isSo !== true) await pause(POLL_MILLISECONDS);
}

/** Another process of the whole service, on the same databases. */
async function startSecond({ dataDirectory, secret }: Service): Promise<RunningChild> {
  const urls = DATABASES.map((name): [string, string] => [
    `${name.toUpperCase()}_DATABASE_URL`,
    databaseUrl(dataDirectory, name),
  ]);
  const port = await freePort();
  return startChild({
    command: ['start/run', 'one-process'],
    settings: {
      ...Object.fromEntries(urls),
      SERVICE_SECRET: secret,
      LOG_LEVEL: 'error',
      PORT: String(port),
      DATA_DIR: temporaryDataDirectory().path,
    },
    readyUrl: `http://127.0.0.1:${port}/readyz`,
  });
}

/** Milliseconds until single events of one organization become visible after acceptance. */
async function watchAmongMany(
  { service, costing }: Bench,
  organizations: number,
  seconds: number,
  eventsPerSecond: number,
): Promise<readonly number[]> {
  await settle(service);
  const sentinels = watchSentinels(service.url, await createOrganization(service, 'Sentinel'));
  const until = elapsedMilliseconds() + seconds * 1_000;
  for (let due = elapsedMilliseconds(); due < until; due += BATCH_MILLISECONDS) {
    await queueEvents(costing, organizations, Math.ceil((eventsPerSecond * BATCH_MILLISECONDS) / 1_000));
    await pause(Math.max(due + BATCH_MILLISECONDS - elapsedMilliseconds(), 0));
  }
  return sentinels.stop();
}

function rates(what: 'priced' | 'attributed', few: readonly Run[], many: readonly Run[]): Figure[] {
  const of = (run: Run) => (what === 'priced' ? run.priced : run.followed);
  const ratios = few.map((run, round) => of(run).eventsPerSecond / of(many[round]!).eventsPerSecond);
  const rate = (name: string, runs: readonly Run[]): Figure[] => [
    { name: `${what}, ${name}`, value: median(runs.map((run) => of(run).eventsPerSecond)), unit: 'events/s' },
    { name: `${what}, ${name}, CPU per event`, value: median(runs.map((run) => of(run).cpu)), unit: 'µs' },
  ];
  return [
    ...rate('one organization', few),
    ...rate('many', many),
    {
      name: `${what}, speed for one organization relative to many`,
      value: median(ratios),
      unit: '',
      spread: spread(ratios),
      atMost: 3,
    },
  ];
}

function describe({ priced, followed }: Run): string {
  return `${Math.round(priced.eventsPerSecond)} priced and ${Math.round(followed.eventsPerSecond)} attributed per second`;
}

function total({ service, postgres }: CpuTime): number {
  return service + postgres;
}
