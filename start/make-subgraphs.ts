/**
 * Creates the subgraphs: all of them in one process, or one in a separate process, which loads neither the gateway nor
 * the others.
 */
import type { Config } from '#platform/config.ts';
import { reportOutages } from '#platform/database/connections/database-server.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Log } from '#platform/log.ts';
import { sealingWith } from '#platform/seal.ts';
import { makeSubgraph, type Subgraph, type SubgraphDefinition } from '#platform/subgraph/subgraph.ts';
import { checkSealedValues } from './check-sealed-values.ts';
import type { Databases } from './databases.ts';
import { writeFirstRun } from './first-run.ts';
import type { KeyRings } from './service-secret.ts';

/**
 * Creates the subgraphs of these definitions and runs their first-start work, after checking that encrypted values can
 * be decrypted.
 */
export async function makeSubgraphs(
  definitions: readonly SubgraphDefinition[],
  databases: Databases,
  shared: { config: Config; log: Log; keys: Pick<KeyRings, 'encryption'>; gateway: GatewayClient },
  progress: (message: string) => void,
): Promise<Subgraph[]> {
  reportOutages(shared.log);
  const { keys, ...common } = shared;
  await checkSealedValues(definitions, databases, keys, shared.config, shared.log);
  return Promise.all(
    definitions.map(async (definition) => {
      const database = databases.of[definition.name];
      if (!database) throw new Error(`No database is open for ${definition.name}`);
      const log = shared.log.child({ subgraph: definition.name });
      const sealing = sealingWith(keys.encryption, log);
      const dependencies = {
        ...common,
        database,
        log,
        sealing,
        writeFirstRun: (firstRun: object) => writeFirstRun(shared.config, firstRun),
      };
      await definition.prepare?.(dependencies, progress);
      return makeSubgraph(definition, dependencies);
    }),
  );
}
