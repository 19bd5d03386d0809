/** The database away under load: how often it is tried, how soon the service is ready again, and whether every event is there once. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { elapsedMilliseconds } from '../platform/clock.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../packages/embedded-postgres/start-embedded-postgres.ts';
import { graphql } from '../schema/graphql.ts';
import { type ResendingLoad, resendingLoad } from './outage/resending-load.ts';
import { askOperator, settle } from './support/ask-operator.ts';
import { undoLater } from './support/cleanup.ts';
import { temporaryDataDirectory } from './support/data-directory.ts';
import type { BenchOptions } from './support/options.ts';
import { createOrganization, type Organization } from './support/organization.ts';
import { residentMegabytes } from './support/process-usage.ts';
import type { Figure, Report } from './support/report.ts';
import { signedBatches } from './support/signed-batches.ts';
import { type Service, startService } from './support/start-service.ts';

const KEYS = 4;
const LOAD_SECONDS = 10;
const SAMPLE_MILLISECONDS = 200;
const READY_SECONDS_MAX = 120;

interface Subject {
  readonly service: Service;
  readonly proxy: CountingProxy;
  readonly load: ResendingLoad;
  readonly server: { stop(): Promise<void>; start(): Promise<void> };
}

interface Outage {
  readonly seconds: number;
  readonly attempts: number;
  readonly readySeconds: number;
  readonly megabytesBefore: number;
  readonly megabytesMost: number;
  readonly connectionsBefore: number;
  readonly connectionsAfter: number;
}

export async function measureOutage({ outageSeconds, connections, progress }: BenchOptions): Promise<Report> {
  const { server, postgres } = await startServer();
  const proxy = await countingProxy(join(postgres.host, `.s.PGSQL.${postgres.port}`));
  const url = `postgresql://${postgres.user}:${encodeURIComponent(postgres.password)}@127.0.0.1:${proxy.port}/postgres`;
  const service = await startService({ settings: { DATABASE_URL: url, LOG_LEVEL: 'fatal' } });
  const organization = await createOrganization(service, 'Outage', { ingestKeys: KEYS });
  const load = resendingLoad(service.url, signedBatches(organization.ingestKeys), connections);
  await pause(LOAD_SECONDS * 1000);
  const outages: Outage[] = [];
  for (const seconds of outageSeconds) {
    const outage = await measureOne({ service, proxy, load, server }, seconds);
    outages.push(outage);
    progress(
      `outage of ${seconds} s: ${outage.attempts} attempts, ready again after ${outage.readySeconds.toFixed(1)} s`,
    );
  }
  const acknowledged = await load.stop();
  await settle(service);
  const counted = await countEvents(service, organization);
  await service.stop();
  await proxy.close();
  await server.stop();
  return {
    benchmark: 'outage',
    figures: [
      ...outages.flatMap(figuresOf),
      { name: 'events acknowledged', value: acknowledged, unit: '' },
      {
        name: 'of them missing or doubled in the books',
        value: Math.max(...counted.map((count) => Math.abs(count - acknowledged))),
        unit: '',
        atMost: 0,
      },
    ],
    notes: [
      `PostgreSQL is stopped for so long and started again, under a load of ${connections} connections that resend what is not acknowledged.`,
      `Ready again: from the server's taking connections to 200 of /readyz. Answers by status: ${[...load.answers].map(([status, times]) => `${times} × ${status}`).join(', ')}.`,
    ],
  };
}

async function measureOne({ service, proxy, load, server }: Subject, seconds: number): Promise<Outage> {
  const megabytesBefore = residentMegabytes(service.pid);
  const connectionsBefore = proxy.open();
  let megabytesMost = 0;
  const sampling = setInterval(() => {
    megabytesMost = Math.max(megabytesMost, residentMegabytes(service.pid));
  }, SAMPLE_MILLISECONDS);
  await server.stop();
  const before = proxy.attempts();
  await pause(seconds * 1000);
  const attempts = proxy.attempts() - before;
  await server.start();
  const readySeconds = await untilReady(service);
  clearInterval(sampling);
  const acknowledged = load.acknowledged();
  await pause(LOAD_SECONDS * 1000);
  if (load.acknowledged() === acknowledged)
    throw new Error(`Nothing was accepted in ${LOAD_SECONDS} s after the outage`);
  return {
    seconds,
    attempts,
    readySeconds,
    megabytesBefore,
    megabytesMost,
    connectionsBefore,
    connectionsAfter: proxy.open(),
  };
}

function figuresOf({ seconds, ...outage }: Outage): Figure[] {
  const name = (figure: string) => `${seconds} s: ${figure}`;
  return [
    { name: name('connections tried'), value: outage.attempts / seconds, unit: 'a second', atMost: 2 },
    { name: name('ready again'), value: outage.readySeconds, unit: 's', atMost: 5 },
    { name: name('memory, most'), value: outage.megabytesMost, unit: 'MB' },
    { name: name('memory, before'), value: outage.megabytesBefore, unit: 'MB' },
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

/** As costing has accepted them, and as attribution has grouped them. */
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

async function startServer(): Promise<{ server: Subject['server']; postgres: EmbeddedPostgres }> {
  const { path } = temporaryDataDirectory();
  let postgres = await startEmbeddedPostgres({ dataDirectory: path });
  undoLater(() => postgres.stop());
  return {
    postgres,
    server: {
      stop: () => postgres.stop(),
      async start() {
        postgres = await startEmbeddedPostgres({ dataDirectory: path });
      },
    },
  };
}

interface CountingProxy {
  readonly port: number;
  /** Connections that were tried since the beginning. */
  attempts(): number;
  /** Connections that are open now. */
  open(): number;
  close(): Promise<void>;
}

/** Stands before PostgreSQL on a port, and counts who tries to connect. While the server is away it refuses, as that would. */
async function countingProxy(socketFile: string): Promise<CountingProxy> {
  const clients = new Set<Socket>();
  let attempts = 0;
  const server = createServer((client) => {
    attempts += 1;
    clients.add(client);
    const upstream = connect(socketFile);
    client.setNoDelay(true);
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    client.on('close', () => {
      clients.delete(client);
      upstream.destroy();
    });
    upstream.on('error', () => client.resetAndDestroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const close = undoLater(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const client of clients) client.destroy();
    await closed;
  });
  return { port: (server.address() as AddressInfo).port, attempts: () => attempts, open: () => clients.size, close };
}
