/** `npm run start:subgraph -- NAME`: one subgraph over HTTP, for the gateway alone. */
import { type Config, SUBGRAPH_NAMES } from '../platform/config.ts';
import { createLog } from '../platform/log.ts';
import { subgraphServer } from '../platform/subgraph/serve-subgraph.ts';
import { httpGatewayClient } from '../platform/transports/http-gateway-client.ts';
import { makeSubgraphs } from './assemble.ts';
import { openDatabases } from './databases.ts';
import { definitions } from './definitions.ts';
import { requiredUrl, runProcess } from './run-process.ts';
import { sharedKeyRings } from './service-secret.ts';

await runProcess(async (config: Config, [name]) => {
  const definition = definitions.find((candidate) => candidate.name === name);
  if (!definition) throw new Error(`Name a subgraph: ${SUBGRAPH_NAMES.join(', ')}`);
  const log = createLog(config.logLevel);
  const keys = sharedKeyRings(config);
  const gateway = httpGatewayClient(requiredUrl(config, 'GATEWAY_URL'), keys.signing);
  const databases = await openDatabases([definition], config, (message) => log.info(message));
  const [subgraph] = await makeSubgraphs([definition], databases, { config, log, keys, gateway }, (message) => log.info(message));
  if (!subgraph) throw new Error('The subgraph could not be made');
  const server = subgraphServer(subgraph, keys.signing);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.port, config.host, resolve));
  return {
    ready: `Subgraph ${definition.name} at http://${config.host}:${config.port}/graphql`,
    async stop() {
      await new Promise((resolve) => { server.close(resolve); server.closeIdleConnections(); });
      await gateway.close();
      await databases.close();
    },
  };
});
