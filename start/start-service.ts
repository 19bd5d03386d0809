/** The whole service in one process on one port. */
import { dashboard } from '../dashboard/dashboard.ts';
import { gatewayRoutes } from '../gateway/gateway-routes.ts';
import type { Config } from '../platform/config.ts';
import { createLog, type Log } from '../platform/log.ts';
import { rateLimiters } from '../platform/rate-limiters.ts';
import { restAdapter } from '../rest-adapter/rest-adapter.ts';
import { gatewayClientInWaiting, makeGateway, makeSubgraphs, startJobs, transportsTo } from './assemble.ts';
import { openDatabases } from './databases.ts';
import { definitions } from './definitions.ts';
import { createHttpApp } from './http-app.ts';
import { observeBacklog, readinessOf } from './readiness.ts';
import { keyRings } from './service-secret.ts';

export interface Service {
  /** Where it listens. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly log?: Log;
  readonly progress?: (message: string) => void;
  /** Jobs can be left to another process. Default true. */
  readonly jobs?: boolean;
}

export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const log = options.log ?? createLog(config.logLevel);
  const progress = options.progress ?? (() => {});
  const databases = await openDatabases(definitions, config, progress);
  try {
    const keys = keyRings(config);
    const waiting = gatewayClientInWaiting();
    const subgraphs = await makeSubgraphs(definitions, databases, { config, log, keys, gateway: waiting.client }, progress);
    const { gateway, client } = await makeGateway(transportsTo(subgraphs, config, keys.signing), log);
    waiting.connect(client);

    const limiters = await rateLimiters(config);
    const app = createHttpApp(log, readinessOf(subgraphs.map(({ database }) => database), client), config);
    const graphql = await gatewayRoutes(app, { gateway, client, log, limiters, signing: keys.signing, introspection: config.introspection, hasSecureCookies: config.appUrl.startsWith('https://') });
    await restAdapter(app, { gateway: client, readLimiter: limiters.read, ingestLimiter: limiters.ingest, apiOrigin: config.apiOrigin, appUrl: config.appUrl, mcpUrl: config.mcpUrl });
    await dashboard(app, { gateway: client, appUrl: config.appUrl, signing: keys.signing });
    observeBacklog(client);
    const jobs = options.jobs === false ? null : await startJobs(subgraphs, log);
    const url = await app.listen({ host: config.host, port: config.port });
    return {
      url,
      async stop() {
        await app.close();
        await jobs?.stop();
        await graphql.stop();
        await limiters.close();
        await databases.close();
      },
    };
  } catch (error) {
    await databases.close();
    throw error;
  }
}
