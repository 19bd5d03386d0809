/** Puts the parts of the service together; the one-process start, the separate processes and the tests all call this. */
import { createGateway, type Gateway, type SubgraphTransports } from '../gateway/create-gateway.ts';
import { localGatewayClient } from '../gateway/local-gateway-client.ts';
import type { Config } from '../platform/config.ts';
import { SUBGRAPH_NAMES } from '../schema/subgraph-names.ts';
import { reportOutages } from '../platform/database/database-server.ts';
import { listen } from '../platform/database/listen.ts';
import type { GatewayClient } from '../platform/gateway-client.ts';
import { type RunningJobs, runJobs } from '../platform/job-loop.ts';
import type { KeyRing } from '../platform/key-ring.ts';
import type { Log } from '../platform/log.ts';
import { sealingWith } from '../platform/seal.ts';
import { makeSubgraph, type Subgraph, type SubgraphDefinition } from '../platform/subgraph/subgraph.ts';
import { httpSubgraph } from '../platform/transports/http-subgraph.ts';
import { signedFor } from '../platform/transports/proof.ts';
import { inProcessSubgraph } from '../platform/transports/in-process-subgraph.ts';
import type { SubgraphTransport } from '../platform/transports/subgraph-transport.ts';
import { checkSealedValues } from './check-sealed-values.ts';
import type { Databases } from './databases.ts';
import { writeFirstRun } from './first-run.ts';
import type { KeyRings } from './service-secret.ts';

/** Makes the subgraphs of these definitions and does their work of the first start, once what is encrypted can be opened. */
export async function makeSubgraphs(
  definitions: readonly SubgraphDefinition[],
  databases: Databases,
  shared: { config: Config; log: Log; keys: Pick<KeyRings, 'encryption'>; gateway: GatewayClient },
  progress: (message: string) => void,
): Promise<Subgraph[]> {
  reportOutages(shared.log);
  const { keys, ...common } = shared;
  await checkSealedValues(definitions, databases, keys, shared.config, shared.log);
  return Promise.all(
    definitions.map(async (definition) => {
      const database = databases.of[definition.name];
      if (!database) throw new Error(`No database is open for ${definition.name}`);
      const log = shared.log.child({ subgraph: definition.name });
      const sealing = sealingWith(keys.encryption, log);
      const dependencies = {
        ...common,
        database,
        log,
        sealing,
        writeFirstRun: (firstRun: object) => writeFirstRun(shared.config, firstRun),
      };
      await definition.prepare?.(dependencies, progress);
      return makeSubgraph(definition, dependencies);
    }),
  );
}

/** Every subgraph at its address. */
export function remoteTransports(config: Config, signing: KeyRing, log: Log): SubgraphTransports {
  return transports((name) => {
    const url = config.subgraphUrls[name] ?? null;
    if (url === null)
      throw new Error(`Set ${name.toUpperCase()}_URL: the subgraph ${name} does not run in this process`);
    return httpSubgraph(name, url, signedFor(name, signing), log);
  });
}

/**
 * Every subgraph in this process. They are made later, as they need the gateway's client, and the gateway loads while their
 * databases open; using one before `connect` is an error of the start.
 */
export function transportsInWaiting(): { transports: SubgraphTransports; connect(to: readonly Subgraph[]): void } {
  const connected = new Map<string, SubgraphTransport>();
  return {
    transports: transports((name) => ({
      execute: (...request) => {
        const transport = connected.get(name);
        if (!transport) throw new Error(`The subgraph ${name} is not made yet`);
        return transport.execute(...request);
      },
      close: async () => {},
    })),
    connect(to) {
      for (const subgraph of to) connected.set(subgraph.name, inProcessSubgraph(subgraph));
    },
  };
}

function transports(transportTo: (name: string) => SubgraphTransport): SubgraphTransports {
  return Object.fromEntries(SUBGRAPH_NAMES.map((name) => [name, transportTo(name)]));
}

/** `own`: the subgraphs of this repository. Any other that the supergraph names is reached at the address that stands there. */
export async function makeGateway(
  own: SubgraphTransports,
  { supergraphFile }: Pick<Config, 'supergraphFile'>,
  signing: KeyRing,
  log: Log,
): Promise<{ gateway: Gateway; client: GatewayClient }> {
  const gateway = await createGateway({
    own,
    join: (name, url) => httpSubgraph(name, url, signedFor(name, signing), log),
    supergraphFile,
    log,
  });
  return { gateway, client: localGatewayClient(gateway, own) };
}

export interface RunningParts {
  stop(): Promise<void>;
}

/** Runs the jobs of these subgraphs; any of their databases may wake any. When it fails nothing is left running. */
export async function startJobs(subgraphs: readonly Subgraph[], log: Log): Promise<RunningParts> {
  await using parts = new AsyncDisposableStack();
  const jobs: RunningJobs = runJobs(
    subgraphs.flatMap(({ name, jobs: own }) => own.map((job) => ({ ...job, subgraph: name }))),
    log,
  );
  parts.defer(() => jobs.stop());
  const channels = [...new Set(subgraphs.flatMap((subgraph) => subgraph.jobs.flatMap(({ channel }) => channel ?? [])))];
  const listening = await Promise.allSettled(
    subgraphs.map(async ({ database }) => {
      const listener = await listen(database.target, channels, jobs.wake, log);
      parts.defer(() => listener.close());
    }),
  );
  const failed = listening.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  const running = parts.move();
  return { stop: () => running.disposeAsync() };
}
