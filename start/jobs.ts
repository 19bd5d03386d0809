/** `npm run start:jobs -- NAME`: the jobs of one subgraph, without serving anything but their health. */
import { type Config, SUBGRAPH_NAMES } from '../platform/config.ts';
import { createLog } from '../platform/log.ts';
import { httpGatewayClient } from '../platform/transports/http-gateway-client.ts';
import { makeSubgraphs, startJobs } from './assemble.ts';
import { openDatabases } from './databases.ts';
import { definitions } from './definitions.ts';
import { createHttpApp } from './http-app.ts';
import { readinessOf } from './readiness.ts';
import { requiredUrl, runProcess } from './run-process.ts';
import { sharedKeyRings } from './service-secret.ts';

await runProcess(async (config: Config, [name]) => {
  const definition = definitions.find((candidate) => candidate.name === name);
  if (!definition) throw new Error(`Name a subgraph: ${SUBGRAPH_NAMES.join(', ')}`);
  const log = createLog(config.logLevel);
  const keys = sharedKeyRings(config);
  const gateway = httpGatewayClient(requiredUrl(config, 'GATEWAY_URL'), keys.signing);
  const databases = await openDatabases([definition], config, (message) => log.info(message));
  const subgraphs = await makeSubgraphs([definition], databases, { config, log, keys, gateway }, (message) => log.info(message));
  const jobs = await startJobs(subgraphs, log);
  const app = createHttpApp(log, readinessOf(subgraphs.map(({ database }) => database), null), config);
  await app.listen({ host: config.host, port: config.port });
  return {
    ready: `Jobs of ${definition.name} run; health at http://${config.host}:${config.port}/readyz`,
    async stop() {
      await app.close();
      await jobs.stop();
      await gateway.close();
      await databases.close();
    },
  };
});
