/** `npm run start:rest-adapter`: the REST contract, with the gateway at its address. */
import { createLog } from '../platform/log.ts';
import { rateLimiters } from '../platform/rate-limiters.ts';
import { httpGatewayClient } from '../platform/transports/http-gateway-client.ts';
import { restAdapter } from '../rest-adapter/rest-adapter.ts';
import { createHttpApp } from './http-app.ts';
import { readinessOf } from './readiness.ts';
import { requiredSecret, requiredUrl, runProcess } from './run-process.ts';

await runProcess(async (config) => {
  const log = createLog(config.logLevel);
  const gateway = httpGatewayClient(requiredUrl(config, 'GATEWAY_URL'), requiredSecret(config));
  const limiters = await rateLimiters(config);
  const app = createHttpApp(log, readinessOf([], gateway));
  await restAdapter(app, { gateway, readLimiter: limiters.read, ingestLimiter: limiters.ingest, apiOrigin: config.apiOrigin, appUrl: config.appUrl, mcpUrl: config.mcpUrl });
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
