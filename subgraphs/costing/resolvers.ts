/** Routes the graph's fields to operations; decides nothing. */
import type { SubgraphSurroundings } from '../../platform/subgraph/subgraph.ts';
import { ingestUsageEvent } from './operations/ingest-usage-event.ts';
import { ingestUsageEvents } from './operations/ingest-usage-events.ts';
import type { Resolvers } from './resolvers.generated.ts';

export function resolvers(_surroundings: SubgraphSurroundings): Resolvers {
  return {
    Mutation: {
      ingestUsageEvents: (_, { events }, context) => ingestUsageEvents(context, events),
      ingestUsageEvent: (_, { event }, context) => ingestUsageEvent(context, event),
    },
  };
}
