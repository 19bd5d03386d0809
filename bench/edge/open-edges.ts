/**
 * Starts everything that `edge` compares: our service with some events, the bare route, and Hive Gateway in front of
 * its own subgraphs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { HOUR_MS } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { keyRing } from '#platform/key-ring.ts';
import type { Principal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import { signPrincipal } from '#platform/transports/signed-principal.ts';
import { SCOPES } from '#schema/scopes.ts';
import { settle } from '../support/ask-operator.ts';
import { type RunningChild, startChild } from '../support/child-process.ts';
import { databaseUrl } from '../support/database-connection.ts';
import { freePort } from '../support/free-port.ts';
import { createOrganization } from '../support/organization.ts';
import { sendLoad } from '../support/send-load.ts';
import { type Service, startService } from '../support/start-service.ts';
import { signedBatches } from '../support/signed-batches.ts';
import type { BareReads } from './bare-server.ts';
import { bareStatements } from './bare-statements.ts';
import { type EdgeRequest, send } from './measure-cpu.ts';
import { type EdgeRead, edgeReads } from './edge-reads.ts';

interface EdgeReads {
  readonly name: string;
  readonly edges: Readonly<Record<'ours' | 'asking' | 'bare' | 'hive', EdgeRequest>>;
}

export interface Edges {
  readonly edgeReads: readonly EdgeReads[];
  stop(): Promise<void>;
}

interface Server {
  readonly url: string;
  readonly child: RunningChild;
}

const FILL_SECONDS = 3;
const NODE = [process.execPath, '--disable-warning=ExperimentalWarning'] as const;
const END_USER = 'customer-1';

export async function openEdges(progress: (message: string) => void): Promise<Edges> {
  const service = await startService();
  const { id: organizationId, readKey, ingestKeys } = await createOrganization(service, 'Edge');
  await sendLoad({ url: service.url, next: signedBatches(ingestKeys), connections: 2, seconds: FILL_SECONDS });
  await settle(service);
  const time = now().getTime();
  const requested = edgeReads(new Date(time - 2 * HOUR_MS).toISOString(), new Date(time).toISOString(), END_USER);

  const ours = requested.map(({ path }): EdgeRequest => ({
    pids: [service.pid],
    url: service.url,
    path,
    headers: () => ({ authorization: `Bearer ${readKey}` }),
  }));
  const bare = await openBareServer(service, organizationId, requested, ours);
  progress('edge: the subgraphs of Hive Gateway are starting');
  const subgraphs = await openSubgraphs(service);
  const hive = await openHiveGateway(service, subgraphs);
  const principal = apiKeyPrincipal(organizationId);
  const signing = keyRing('signing', [service.secret]);
  return {
    edgeReads: requested.map((read, index) => ({
      name: read.name,
      edges: {
        ours: ours[index]!,
        asking: { pids: [bare.child.pid], url: bare.url, path: `/asking/${index}`, headers: () => ({}) },
        bare: { pids: [bare.child.pid], url: bare.url, path: `/${index}`, headers: () => ({}) },
        hive: {
          pids: [hive.child.pid, ...[...subgraphs.values()].map(({ child }) => child.pid)],
          url: hive.url,
          path: '/graphql',
          headers: () => ({
            'content-type': 'application/json',
            accept: 'application/json',
            'x-principal': signPrincipal(principal, SUBGRAPH_NAMES, signing),
          }),
          body: JSON.stringify({ query: read.document, variables: read.variables }),
        },
      },
    })),
    async stop() {
      for (const { child } of [hive, bare, ...subgraphs.values()]) await child.stop();
      await service.stop();
    },
  };
}

async function openBareServer(
  service: Service,
  organizationId: string,
  requested: readonly EdgeRead[],
  ours: readonly EdgeRequest[],
): Promise<Server> {
  const pool = new Pool(service.url);
  const reads: Record<string, BareReads[string]> = {};
  for (const [index, read] of requested.entries())
    reads[index] = {
      body: await send(pool, ours[index]!, ours[index]!.headers()),
      statements: await bareStatements(service.dataDirectory, organizationId, read),
    };
  await pool.close();
  const file = join(service.dataDirectory, 'reads.json');
  writeFileSync(file, JSON.stringify(reads));
  return openServer('bench/edge/bare-server.ts', file, '/healthz');
}

/** They use the service's databases. */
async function openSubgraphs(service: Service): Promise<Map<string, Server>> {
  const databases = Object.fromEntries(
    SUBGRAPH_NAMES.map((name) => [`${name.toUpperCase()}_DATABASE_URL`, databaseUrl(service.dataDirectory, name)]),
  );
  const servers = new Map<string, Server>();
  for (const name of SUBGRAPH_NAMES) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const child = await startChild({
      command: [...NODE, 'start/subgraph.ts', name],
      settings: {
        ...databases,
        PORT: String(port),
        SERVICE_SECRET: service.secret,
        GATEWAY_URL: service.url,
        LOG_LEVEL: 'error',
        DATA_DIR: service.dataDirectory,
      },
      readyUrl: `${url}/healthz`,
    });
    servers.set(name, { url, child });
  }
  return servers;
}

/** Uses the committed supergraph, with the addresses of the started subgraphs. */
async function openHiveGateway(service: Service, subgraphs: ReadonlyMap<string, Server>): Promise<Server> {
  let supergraph = readFileSync(new URL('../../schema/supergraph.graphql', import.meta.url), 'utf8');
  for (const [name, { url }] of subgraphs)
    supergraph = supergraph.replace(`"http://${name}.invalid/graphql"`, `"${url}/graphql"`);
  const file = join(service.dataDirectory, 'supergraph.graphql');
  writeFileSync(file, supergraph);
  return openServer('bench/edge/hive-server.ts', file, '/readiness');
}

async function openServer(script: string, file: string, readyPath: string): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = await startChild({
    command: [...NODE, script, String(port), file],
    settings: {},
    readyUrl: `${url}${readyPath}`,
  });
  return { url, child };
}

function apiKeyPrincipal(organizationId: string): Principal {
  return {
    kind: 'api-key',
    organizationId,
    accountUserId: randomUuid(),
    credentialId: randomUuid(),
    credentialName: 'Benchmark',
    environment: 'live',
    expiresAt: null,
    grants: SCOPES,
    correlationId: randomUuid(),
  };
}
