/** Routes the graph's fields to operations; decides nothing. */
import type { SubgraphSurroundings } from '../../platform/subgraph/subgraph.ts';
import type { Resolvers } from './resolvers.generated.ts';

export function resolvers(_surroundings: SubgraphSurroundings): Resolvers {
  return {};
}
