/**
 * Database trouble under load: the rate of connection attempts, the time until the service is ready again, and a check
 * that every event is stored exactly once.
 */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { graphql } from '#schema/graphql.ts';
import { countingProxy, type CountingProxy } from './outage/counting-proxy.ts';
import { type ResendingLoad, resendingLoad } from './outage/resending-load.ts';
import { startTroubledServer, type Trouble, type TroubledServer } from './outage/troubled-server.ts';
import { askOperator, settle } from './support/ask-operator.ts';
import { undoLater } from './support/cleanup.ts';
import type { BenchOptions } from './support/options.ts';
import { createOrganization, type Organization } from './support/organization.ts';
import { residentMegabytes } from './support/process-usage.ts';
import type { Figure, Report } from './support/report.ts';
import { signedBatches } from './support/signed-batches.ts';
import { type Service, startService } from './support/start-service.ts';

const KEYS = 4;
/** The disk to be filled is small: the steady load must leave room on it. */
const REST_MILLISECONDS = 200;
const LOAD_SECONDS = 10;
const SAMPLE_MILLISECONDS = 200;
const READY_SECONDS_MAX = 120;

interface Subject {
  readonly service: Service;
  readonly proxy: CountingProxy;
  readonly load: ResendingLoad;
  readonly server: TroubledServer;
}

interface Outage {
  readonly name: string;
  /** `null` if the trouble is over at once: then all connections reconnect. */
  readonly attemptsPerSecond: number | null;
  readonly readySeconds: number;
  readonly megabytesBefore: number;
  readonly megabytesMost: number;
  readonly connectionsBefore: number;
  readonly connectionsAfter: number;
}

export async function measureOutage({ connections, ...options }: BenchOptions): Promise<Report> {
  const { outageSeconds, outageTroubles, progress } = options;
  const figures: Figure[] = [];
  const notes: string[] = [];
  for (const trouble of outageTroubles) {
    const server = await startTroubledServer(realpathSync(mkdtempSync(join(tmpdir(), 'books-outage-'))));
    const stopServer = undoLater(() => server.stop());
    if (!server.troubles.includes(trouble)) {
      notes.push(`${trouble}: cannot be tested here, because it needs its own file system.`);
      await stopServer();
      continue;
    }
    const { host, port, user, password } = server.postgres;
    const proxy = await countingProxy(join(host, `.s.PGSQL.${port}`));
    const url = `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}/postgres`;
    const service = await startService({ settings: { DATABASE_URL: url, LOG_LEVEL: 'fatal' } });
    const organization = await createOrganization(service, 'Outage', { ingestKeys: KEYS });
    const batches = signedBatches(organization.ingestKeys);
    const load = resendingLoad(service.url, batches, { connections, restMilliseconds: REST_MILLISECONDS });
    await pause(LOAD_SECONDS * 1000);
    // Killing a backend takes no time, so it is measured once.
    const lengths = trouble === 'one backend killed' ? outageSeconds.slice(0, 1) : outageSeconds;
    for (const seconds of lengths) {
      const outage = await measureOne({ service, proxy, load, server }, trouble, seconds);
      figures.push(...figuresOf(outage));
      progress(`${outage.name}: ${print(outage)}`);
    }
    const acknowledged = await load.stop();
    await settle(service);
    const counted = await countEvents(service, organization);
    figures.push({
      name: `${trouble}: of ${acknowledged} acknowledged events missing or doubled`,
      value: Math.max(...counted.map((count) => Math.abs(count - acknowledged))),
      unit: '',
      atMost: 0,
    });
    notes.push(`${trouble}: ${[...load.answers].map(([status, times]) => `${times} × ${status}`).join(', ')}.`);
    await service.stop();
    await proxy.close();
    await stopServer();
  }
  return {
    benchmark: 'outage',
    figures,
    notes: [
      ...notes,
      `A load over ${connections} connections resends unacknowledged batches; its responses are listed above by status, 0 for no response.`,
      'Ready again: time from when the server could serve until /readyz returned 200. Connections tried: attempts during the outage that did not result in a connection.',
    ],
  };
}

const print = (outage: Outage): string =>
  figuresOf(outage)
    .map(({ name, value, unit }) => `${name.slice(outage.name.length + 2)} ${Number(value.toFixed(2))} ${unit}`.trim())
    .join(', ');

async function measureOne(subject: Subject, trouble: Trouble, seconds: number): Promise<Outage> {
  const { service, proxy, load, server } = subject;
  const megabytesBefore = residentMegabytes(service.pid);
  const connectionsBefore = proxy.open();
  let megabytesMost = 0;
  const sampling = setInterval(() => {
    megabytesMost = Math.max(megabytesMost, residentMegabytes(service.pid));
  }, SAMPLE_MILLISECONDS);
  const isOverAtOnce = trouble === 'one backend killed';
  const end = await server.begin(trouble);
  const attemptsPerSecond = isOverAtOnce ? null : await countAttempts(proxy, seconds);
  await end();
  const readySeconds = await untilReady(service);
  clearInterval(sampling);
  const acknowledged = load.acknowledged();
  await pause(LOAD_SECONDS * 1000);
  if (load.acknowledged() === acknowledged)
    throw new Error(`Nothing was accepted in ${LOAD_SECONDS} s after the outage`);
  return {
    name: isOverAtOnce ? trouble : `${trouble} for ${seconds} s`,
    attemptsPerSecond,
    readySeconds,
    megabytesBefore,
    megabytesMost,
    connectionsBefore,
    connectionsAfter: proxy.open(),
  };
}

/** Attempts per second, without connections that were accepted and are still open. */
async function countAttempts(proxy: CountingProxy, seconds: number): Promise<number> {
  const [began, attempts] = [elapsedMilliseconds(), proxy.attempts()];
  await pause(seconds * 1000);
  const tried = proxy.attempts() - attempts - proxy.open(attempts);
  return tried / ((elapsedMilliseconds() - began) / 1000);
}

function figuresOf(outage: Outage): Figure[] {
  const name = (figure: string) => `${outage.name}: ${figure}`;
  const { attemptsPerSecond } = outage;
  return [
    ...(attemptsPerSecond === null
      ? []
      : [{ name: name('connections tried'), value: attemptsPerSecond, unit: 'per second', atMost: 2 }]),
    { name: name('ready again'), value: outage.readySeconds, unit: 's', atMost: 5 },
    { name: name('memory, before'), value: outage.megabytesBefore, unit: 'MB' },
    { name: name('memory, highest'), value: outage.megabytesMost, unit: 'MB' },
    { name: name('connections before'), value: outage.connectionsBefore, unit: '' },
    { name: name('connections after'), value: outage.connectionsAfter, unit: '' },
  ];
}

async function untilReady({ url }: Service): Promise<number> {
  const began = elapsedMilliseconds();
  for (;;) {
    const status = await fetch(`${url}/readyz`).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0,
    );
    const seconds = (elapsedMilliseconds() - began) / 1000;
    if (status === 200) return seconds;
    if (seconds > READY_SECONDS_MAX)
      throw new Error(`The service was not ready ${READY_SECONDS_MAX} s after the outage`);
    await pause(20);
  }
}

const BOOKS = graphql('query BooksAfterOutage { verifyCosting { differences } verifyAttribution { differences } }');

/** Events accepted by costing, and events grouped by attribution. */
async function countEvents(service: Service, organization: Organization): Promise<number[]> {
  const headers = { authorization: `Bearer ${organization.readKey}` };
  const read = async (path: string): Promise<unknown> =>
    (await fetch(`${service.url}/v1${path}?start_date=2020-01-01&end_date=2100-01-01`, { headers })).json();
  const { total_events: accepted } = (await read('/usage/summary')) as { total_events: number };
  const { models } = (await read('/cost-data/by-model')) as { models: { event_count: number }[] };
  const books = await askOperator(service, BOOKS, {}, organization.id);
  const differences = Object.values(books)
    .flat()
    .flatMap((book) => book.differences);
  if (differences.length > 0) throw new Error(`The books do not agree: ${JSON.stringify(differences)}`);
  return [accepted, models.reduce((sum, model) => sum + model.event_count, 0)];
}
