/** `npm run start:jobs -- NAME`: runs only the jobs of one subgraph and serves only their health. */
import { createLog } from '#platform/log.ts';
import { httpGatewayClient } from '#platform/transports/http-gateway-client.ts';
import { makeSubgraphs } from './make-subgraphs.ts';
import { startJobs } from './start-jobs.ts';
import { openDatabases } from './databases.ts';
import { definitionOf } from './definition-of.ts';
import { createHttpApp } from './http-app.ts';
import { listenOn } from './listen-on.ts';
import { observeReadiness, serveOperations } from './health/operations-port.ts';
import { checkDatabases } from './health/check-databases.ts';
import { readiness } from './health/readiness.ts';
import { requiredUrl, runProcess } from './run-process.ts';
import { subgraphTrust } from './service-secret.ts';

await runProcess(async (config, [name], parts) => {
  const definition = await definitionOf(name);
  const log = createLog(config.logLevel);
  const gatewayUrl = requiredUrl(config, 'GATEWAY_URL');
  const keys = subgraphTrust(config, gatewayUrl, log);
  const gateway = httpGatewayClient(gatewayUrl, keys.proof, log);
  parts.defer(() => gateway.close());
  const databases = await openDatabases([definition], config, (message) => log.info(message));
  parts.defer(() => databases.close());
  const subgraphs = await makeSubgraphs([definition], databases, { config, log, keys, gateway }, (message) =>
    log.info(message),
  );
  const checks = await checkDatabases(subgraphs);
  parts.defer(() => checks.close());
  const health = readiness({ databases: checks });
  observeReadiness(health);
  const operations = await serveOperations(health, config, log);
  parts.defer(() => operations.close());
  const app = createHttpApp(log, health, config);
  parts.defer(() => app.close());
  await listenOn(app, config);
  const jobs = await startJobs(subgraphs, log);
  parts.defer(() => jobs.stop());
  return `Jobs of ${definition.name} run; health at ${operations.url ?? `http://${config.host}:${config.port}`}/readyz`;
});
