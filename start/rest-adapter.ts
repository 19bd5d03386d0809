/** `npm run start:rest-adapter`: the REST API and the pages, which call the gateway at its address. */
import { dashboard } from '../dashboard/dashboard.ts';
import { createLog } from '#platform/log.ts';
import { rateLimiters } from '#platform/rate-limits/rate-limiters.ts';
import { httpGatewayClient } from '#platform/transports/http-gateway-client.ts';
import { signedFor } from '#platform/transports/proof.ts';
import { GATEWAY } from '#platform/transports/signed-principal.ts';
import { restAdapter } from '../rest-adapter/rest-adapter.ts';
import { createHttpApp } from './http-app.ts';
import { listenOn } from './listen-on.ts';
import { observeReadiness, serveOperations } from './health/operations-port.ts';
import { adapterReadiness } from './health/readiness.ts';
import { requiredUrl, runProcess } from './run-process.ts';
import { sharedKeyRings } from './service-secret.ts';

await runProcess(async (config, _args, parts) => {
  const log = createLog(config.logLevel);
  const { signing } = sharedKeyRings(config);
  const gatewayUrl = requiredUrl(config, 'GATEWAY_URL');
  const limiters = await rateLimiters(config, log);
  parts.defer(() => limiters.close());
  const gateway = httpGatewayClient(gatewayUrl, signedFor(GATEWAY, signing), log);
  parts.defer(() => gateway.close());
  const health = adapterReadiness(gatewayUrl, limiters);
  observeReadiness(health);
  const operations = await serveOperations(health, config, log);
  parts.defer(() => operations.close());
  const app = createHttpApp(log, health, config);
  parts.defer(() => app.close());
  await restAdapter(app, {
    gateway,
    readLimiter: limiters.read,
    ingestLimiter: limiters.ingest,
    decisionLimiter: limiters.decisions,
    eventLimits: { events: limiters.events, bodies: limiters.bodies },
    apiOrigin: config.apiOrigin,
    appUrl: config.appUrl,
    mcpUrl: config.mcpUrl,
  });
  await dashboard(app, {
    gateway,
    eventLimiter: limiters.events,
    appUrl: config.appUrl,
    apiOrigin: config.apiOrigin,
    signing,
  });
  await listenOn(app, config);
  return `REST at http://${config.host}:${config.port}/v1`;
});
