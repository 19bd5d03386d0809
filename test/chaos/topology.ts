/** The service in one of its shapes, with a proxy on every connection between its processes and their dependencies. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addCustomer, newAccount, type StripeAccount } from '../../packages/stripe-stand-in/account.ts';
import { start as startStripe } from '../../packages/stripe-stand-in/server.ts';
import { startEmbeddedPostgres } from '../../packages/embedded-postgres/start-embedded-postgres.ts';
import { findServerProcesses } from '../../packages/embedded-postgres/stop-orphan.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { type FaultProxy, faultProxy } from '../support/fault-proxy.ts';
import { type MisbehavingSubgraph, misbehavingSubgraph, supergraphWith } from '../support/misbehaving-subgraph.ts';
import { redisStandIn } from '../support/redis-stand-in.ts';
import type { FirstRun } from '../support/running-service.ts';
import { freePort, freePorts } from '../support/free-port.ts';
import { GOOD_ANSWER } from './joined-subgraph.ts';
import { ManagedProcess } from './managed-process.ts';

export const SHAPES = ['one-process', 'embedded', 'split'] as const;
/**
 * In `one-process` and `split`, PostgreSQL is behind proxies; `embedded` uses its own socket, which cannot have one.
 */
export type Shape = (typeof SHAPES)[number];

export interface Topology {
  readonly shape: Shape;
  /** Address of the edge that clients use, and of the graph for operators. */
  readonly url: string;
  readonly graphUrl: string;
  readonly edges: readonly ManagedProcess[];
  readonly processes: readonly ManagedProcess[];
  /** By connection: `costing → postgres`. */
  readonly proxies: ReadonlyMap<string, FaultProxy>;
  readonly firstRun: FirstRun;
  readonly stripe: { readonly account: StripeAccount; readonly apiKey: string; readonly apiBase: string };
  /** A third-party subgraph that joined. */
  readonly joined: MisbehavingSubgraph;
  /** Data directory of the server's processes. */
  readonly cluster: string;
  stop(): Promise<void>;
}

/** The stand-in's clock is at the first requested day. */
const STRIPE_NOW = Date.parse('2026-01-15T00:00:00Z') / 1000;

export interface TopologyOptions {
  readonly shape: Shape;
  readonly directory: string;
  readonly onFinding: (finding: string) => void;
}

export async function startTopology({ shape, directory, onFinding }: TopologyOptions): Promise<Topology> {
  await using parts = new AsyncDisposableStack();
  const proxies = new Map<string, FaultProxy>();
  const link = async (name: string, upstream: { host: string; port: number }): Promise<string> => {
    const proxy = await faultProxy(upstream);
    proxies.set(name, proxy);
    parts.defer(() => proxy.close());
    const { host, port } = proxy.to(upstream);
    return `${host}:${port}`;
  };
  const redis = await redisStandIn();
  parts.defer(() => redis.close());
  const stripe = await startStripe({ account: newAccount(STRIPE_NOW) });
  parts.defer(() => stripe.stop());
  addCustomer(stripe.account, { name: 'Customer one', metadata: { user_id: 'user-1' } });

  const joined = await misbehavingSubgraph(GOOD_ANSWER);
  parts.defer(() => joined.close());
  const supergraphFile = join(directory, 'supergraph.graphql');
  writeFileSync(supergraphFile, supergraphWith(joined.url));
  const supergraph = { SUPERGRAPH_FILE: supergraphFile };

  const dataDirectory = join(directory, 'data');
  mkdirSync(dataDirectory, { mode: 0o711 });
  const env = {
    DATA_DIR: dataDirectory,
    LOG_LEVEL: 'info',
    SERVICE_SECRET: randomBytes(32).toString('hex'),
    INGEST_RATE_LIMIT: '1000000;w=60',
    READ_RATE_LIMIT: '1000000;w=60',
  };
  const processes: ManagedProcess[] = [];
  const launch = (script: string, port: number, more: Readonly<Record<string, string>>, args: string[] = []) => {
    const logFile = join(directory, `${[script, ...args].join('-')}.log`);
    const process = new ManagedProcess({ script, args, port, env: { ...env, ...more }, logFile, onFinding });
    processes.push(process);
    parts.defer(async () => void (await process.stop()));
    return process;
  };
  const redisUrl = async (name: string) => `redis://${await link(`${name} → redis`, addressOf(redis.url))}`;

  let cluster = join(dataDirectory, 'postgres');
  let databaseUrl = async (_process: string): Promise<Record<string, string>> => ({});
  if (shape !== 'embedded') {
    const postgres = await startEmbeddedPostgres({
      dataDirectory: join(directory, 'postgres'),
      onLost: (error) => onFinding(`PostgreSQL was lost: ${error.message}`),
    });
    parts.defer(() => postgres.stop());
    cluster = join(postgres.dataDirectory, 'postgres');
    databaseUrl = async (process) => {
      const address = await link(`${process} → postgres`, postgres);
      return { DATABASE_URL: `postgresql://${postgres.user}:${postgres.password}@${address}/postgres` };
    };
  }

  let edges: ManagedProcess[];
  let graph: ManagedProcess;
  if (shape === 'split') {
    const [gatewayPort, adapterPort, ...ports] = (await freePorts(2 + 2 * SUBGRAPH_NAMES.length)) as [
      number,
      number,
      ...number[],
    ];
    const gatewayUrl = async (process: string) => ({
      GATEWAY_URL: `http://${await link(`${process} → gateway`, local(gatewayPort))}`,
    });
    const urls: Record<string, string> = {};
    for (const [index, name] of SUBGRAPH_NAMES.entries()) {
      urls[`${name.toUpperCase()}_URL`] = `http://${await link(`gateway → ${name}`, local(ports[2 * index]!))}`;
      const settings = { ...(await databaseUrl(name)), ...(await gatewayUrl(name)) };
      launch('subgraph', ports[2 * index]!, settings, [name]);
    }
    graph = launch('gateway', gatewayPort, { ...urls, ...supergraph, REDIS_URL: await redisUrl('gateway') });
    edges = [
      launch('rest-adapter', adapterPort, {
        ...(await gatewayUrl('rest-adapter')),
        REDIS_URL: await redisUrl('rest-adapter'),
      }),
      graph,
    ];
    await Promise.all(processes.map((process) => process.ready()));
    for (const [index, name] of SUBGRAPH_NAMES.entries()) {
      if (!HAS_JOBS.includes(name)) continue;
      const settings = { ...(await databaseUrl(`jobs of ${name}`)), ...(await gatewayUrl(`jobs of ${name}`)) };
      launch('jobs', ports[2 * index + 1]!, settings, [name]);
    }
  } else {
    const port = await freePort();
    const settings = { ...(await databaseUrl('service')), ...supergraph, REDIS_URL: await redisUrl('service') };
    graph = launch('one-process', port, settings);
    edges = [graph];
  }
  await Promise.all(processes.map((process) => process.ready()));
  if (shape === 'embedded') cluster = embeddedCluster(dataDirectory);
  const apiBase = `http://${await link('revenue → stripe', addressOf(stripe.url))}`;
  const running = parts.move();
  return {
    shape,
    url: edges[0]!.url,
    graphUrl: graph.url,
    edges,
    processes,
    proxies,
    firstRun: JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8')) as FirstRun,
    stripe: { account: stripe.account, apiKey: [...stripe.keys.keys()][0]!, apiBase },
    joined,
    cluster,
    async stop() {
      for (const proxy of proxies.values()) proxy.set('none');
      const pids = processes.map(({ pid }) => pid);
      await running.disposeAsync();
      const orphans = [...pids.filter(isAlive), ...findServerProcesses(cluster)];
      if (orphans.length > 0) onFinding(`Processes are left after the stop: ${orphans.join(', ')}`);
    },
  };
}

const HAS_JOBS: readonly string[] = SUBGRAPH_NAMES;

function local(port: number): { host: string; port: number } {
  return { host: '127.0.0.1', port };
}

function addressOf(url: string): { host: string; port: number } {
  return local(Number(new URL(url).port));
}

function embeddedCluster(dataDirectory: string): string {
  try {
    return join(readFileSync(join(dataDirectory, 'postgres-location'), 'utf8').trim(), 'postgres');
  } catch {
    return join(dataDirectory, 'postgres');
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
