/** The whole service in one process on one port. */
import { dashboard } from '../dashboard/dashboard.ts';
import { gatewayRoutes } from '../gateway/gateway-routes.ts';
import type { Config } from '#platform/config.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { createLog, type Log } from '#platform/log.ts';
import { rateLimiters, type RateLimiters } from '#platform/rate-limits/rate-limiters.ts';
import { restAdapter } from '../rest-adapter/rest-adapter.ts';
import { makeGateway, transportsInWaiting } from './assemble.ts';
import { makeSubgraphs } from './make-subgraphs.ts';
import { type RunningParts, startJobs } from './start-jobs.ts';
import { openDatabases } from './databases.ts';
import type { DatabaseServers } from './locate-databases.ts';
import { definitions } from './definitions.ts';
import { createHttpApp, type Readiness } from './http-app.ts';
import { listenOn } from './listen-on.ts';
import { observeReadiness, serveOperations } from './health/operations-port.ts';
import { checkDatabases } from './health/check-databases.ts';
import { observeStorage } from './health/observe-storage.ts';
import { observeBacklog, readiness } from './health/readiness.ts';
import { readGrants } from './read-grants.ts';
import { keyRings } from './service-secret.ts';

export interface Service {
  /** Address of the service. */
  readonly url: string;
  /** Address of the operations port; `null` if health and metrics are only on the address above. */
  readonly operationsUrl: string | null;
  /** The content of `/readyz`. */
  readonly readiness: Readiness;
  /** Starts or stops the jobs. */
  runJobs(wanted: boolean): Promise<void>;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly log?: Log;
  readonly progress?: (message: string) => void;
  /** Database servers that the caller has begun to start. The service stops them when it stops. */
  readonly servers?: Promise<DatabaseServers>;
  /** True if this process runs the jobs. Default true. */
  readonly jobs?: boolean;
  /** Default: in memory, or in Redis if configured. */
  readonly limiters?: RateLimiters;
  /** Default: the metrics of this process. */
  readonly printMetrics?: () => Promise<string>;
  /** True to open the operations port. Default true. */
  readonly servesOperations?: boolean;
}

export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const log = options.log ?? createLog(config.logLevel);
  const progress = options.progress ?? (() => {});
  // If a later part fails, everything started so far is stopped in reverse order.
  await using parts = new AsyncDisposableStack();

  const opening = openDatabases(definitions, config, progress, options.servers);
  parts.defer(async () => (await opening.catch(() => null))?.close());
  const { transports, connect } = transportsInWaiting();
  const keys = keyRings(config);
  const [databases, { gateway, client }] = await Promise.all([
    opening,
    makeGateway(transports, config, keys.signing, log),
  ]);
  parts.defer(() => gateway.stop());
  const subgraphs = await makeSubgraphs(definitions, databases, { config, log, keys, gateway: client }, progress);
  connect(subgraphs);

  const limiters = options.limiters ?? (await rateLimiters(config, log));
  parts.defer(() => limiters.close());
  const checks = await checkDatabases(subgraphs);
  parts.defer(() => checks.close());
  const health = readiness({ databases: checks, backlog: client, limiters, gateway });
  observeReadiness(health);
  observeStorage(config);
  const operations = options.servesOperations === false ? null : await serveOperations(health, config, log);
  parts.defer(() => operations?.close());
  const app = createHttpApp(log, health, config, options.printMetrics);
  const graphql = await gatewayRoutes(app, {
    gateway,
    client,
    log,
    limiters,
    signing: keys.signing,
    introspection: config.introspection,
    ownSubgraphs: SUBGRAPH_NAMES,
    subgraphGrants: readGrants(config),
    hasSecureCookies: config.appUrl.startsWith('https://'),
  });
  parts.defer(() => graphql.stop());
  // Requests may wait for a job. So the server closes before the jobs stop, and listens before they start.
  let jobs: RunningParts | null = null;
  let changed = Promise.resolve();
  /** Changes run one after another, so that jobs still starting when the service stops are stopped too. */
  const runJobs = (wanted: boolean): Promise<void> =>
    (changed = changed
      .catch(() => {})
      .then(async () => {
        if (wanted) jobs ??= await startJobs(subgraphs, log);
        else {
          await jobs?.stop();
          jobs = null;
        }
      }));
  parts.defer(() => runJobs(false));
  parts.defer(() => app.close());
  await restAdapter(app, {
    gateway: client,
    readLimiter: limiters.read,
    ingestLimiter: limiters.ingest,
    decisionLimiter: limiters.decisions,
    eventLimits: { events: limiters.events, bodies: limiters.bodies },
    apiOrigin: config.apiOrigin,
    appUrl: config.appUrl,
    mcpUrl: config.mcpUrl,
  });
  await dashboard(app, {
    gateway: client,
    eventLimiter: limiters.events,
    appUrl: config.appUrl,
    apiOrigin: config.apiOrigin,
    signing: keys.signing,
  });
  observeBacklog(client);
  const url = await listenOn(app, config);
  if (options.jobs !== false) await runJobs(true);
  const started = parts.move();
  return {
    url,
    operationsUrl: operations?.url ?? null,
    readiness: health,
    runJobs,
    stop: () => started.disposeAsync(),
  };
}
