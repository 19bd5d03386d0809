/** `npm run start:rest-adapter`: the REST contract and people's pages, with the gateway at its address. */
import { dashboard } from '../dashboard/dashboard.ts';
import { createLog } from '../platform/log.ts';
import { rateLimiters } from '../platform/rate-limiters.ts';
import { httpGatewayClient } from '../platform/transports/http-gateway-client.ts';
import { restAdapter } from '../rest-adapter/rest-adapter.ts';
import { createHttpApp } from './http-app.ts';
import { readinessOf } from './readiness.ts';
import { requiredUrl, runProcess } from './run-process.ts';
import { sharedKeyRings } from './service-secret.ts';

await runProcess(async (config) => {
  const log = createLog(config.logLevel);
  const { signing } = sharedKeyRings(config);
  const gateway = httpGatewayClient(requiredUrl(config, 'GATEWAY_URL'), signing);
  const limiters = await rateLimiters(config);
  const app = createHttpApp(log, readinessOf([], gateway), config);
  await restAdapter(app, { gateway, readLimiter: limiters.read, ingestLimiter: limiters.ingest, apiOrigin: config.apiOrigin, appUrl: config.appUrl, mcpUrl: config.mcpUrl });
  await dashboard(app, { gateway, appUrl: config.appUrl, signing });
  await app.listen({ host: config.host, port: config.port });
  return {
    ready: `REST at http://${config.host}:${config.port}/v1`,
    async stop() {
      await app.close();
      await gateway.close();
      await limiters.close();
    },
  };
});
