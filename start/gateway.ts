/** `npm run start:gateway`: the gateway, which calls every subgraph at its address. */
import { gatewayRoutes } from '../gateway/gateway-routes.ts';
import { createLog } from '#platform/log.ts';
import { rateLimiters } from '#platform/rate-limits/rate-limiters.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { makeGateway, remoteTransports } from './assemble.ts';
import { createHttpApp } from './http-app.ts';
import { listenOn } from './listen-on.ts';
import { observeReadiness, serveOperations } from './health/operations-port.ts';
import { gatewayReadiness, observeBacklog } from './health/readiness.ts';
import { runProcess } from './run-process.ts';
import { readGrants } from './read-grants.ts';
import { sharedKeyRings } from './service-secret.ts';

await runProcess(async (config, _args, parts) => {
  const log = createLog(config.logLevel);
  const { signing } = sharedKeyRings(config);
  const limiters = await rateLimiters(config, log);
  parts.defer(() => limiters.close());
  const transports = remoteTransports(config, signing, log);
  for (const transport of Object.values(transports)) parts.defer(() => transport.close());
  const { gateway, client } = await makeGateway(transports, config, signing, log);
  parts.defer(() => gateway.stop());
  const health = gatewayReadiness(gateway, client, config.subgraphUrls, limiters);
  observeReadiness(health);
  const operations = await serveOperations(health, config, log);
  parts.defer(() => operations.close());
  const app = createHttpApp(log, health, config);
  const graphql = await gatewayRoutes(app, {
    gateway,
    client,
    log,
    limiters,
    signing,
    introspection: config.introspection,
    ownSubgraphs: SUBGRAPH_NAMES,
    subgraphGrants: readGrants(config),
    hasSecureCookies: config.appUrl.startsWith('https://'),
  });
  parts.defer(() => graphql.stop());
  parts.defer(() => app.close());
  observeBacklog(client);
  await listenOn(app, config);
  return `Gateway at http://${config.host}:${config.port}/graphql`;
});
