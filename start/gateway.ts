/** `npm run start:gateway`: the gateway, with every subgraph at its address. */
import { gatewayRoutes } from '../gateway/gateway-routes.ts';
import { createLog } from '../platform/log.ts';
import { rateLimiters } from '../platform/rate-limiters.ts';
import { makeGateway, transportsTo } from './assemble.ts';
import { createHttpApp } from './http-app.ts';
import { observeBacklog, readinessOf } from './readiness.ts';
import { runProcess } from './run-process.ts';
import { sharedKeyRings } from './service-secret.ts';

await runProcess(async (config) => {
  const log = createLog(config.logLevel);
  const { signing } = sharedKeyRings(config);
  const transports = transportsTo([], config, signing);
  const { gateway, client } = await makeGateway(transports, log);
  const limiters = await rateLimiters(config);
  const app = createHttpApp(log, readinessOf([], client), config);
  const graphql = await gatewayRoutes(app, { gateway, client, log, limiters, signing, introspection: config.introspection, hasSecureCookies: config.appUrl.startsWith('https://') });
  observeBacklog(client);
  await app.listen({ host: config.host, port: config.port });
  return {
    ready: `Gateway at http://${config.host}:${config.port}/graphql`,
    async stop() {
      await app.close();
      await graphql.stop();
      await Promise.all(Object.values(transports).map((transport) => transport.close()));
      await limiters.close();
    },
  };
});
