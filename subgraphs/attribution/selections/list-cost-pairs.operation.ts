/** Lists the rolled-up pairs of keys with their states. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { CostPair } from '../resolvers.generated.ts';
import { listPairs, toCostPairView } from './cost-pairs.query.ts';

export async function listCostPairs(context: SubgraphContext): Promise<CostPair[]> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) =>
    (await listPairs(tx, organizationId)).map(toCostPairView),
  );
}
