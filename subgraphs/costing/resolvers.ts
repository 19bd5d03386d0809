/** Routes the graph's fields to operations; decides nothing. */
import type { SubgraphSurroundings } from '../../platform/subgraph/subgraph.ts';
import { addEventPack } from './operations/add-event-pack.ts';
import { ingestUsageEvent } from './operations/ingest-usage-event.ts';
import { ingestUsageEvents } from './operations/ingest-usage-events.ts';
import { readCredits } from './operations/read-credits.ts';
import { readPricedFeed } from './operations/read-priced-feed.ts';
import { readPricingBacklog } from './operations/read-pricing-backlog.ts';
import { setPlan } from './operations/set-plan.ts';
import type { Resolvers } from './resolvers.generated.ts';

export function resolvers(_surroundings: SubgraphSurroundings): Resolvers {
  return {
    Query: {
      credits: (_, _args, context) => readCredits(context),
      pricedFeed: (_, question, context) => readPricedFeed(context, question),
      pricingBacklog: (_, _args, context) => readPricingBacklog(context),
    },
    Mutation: {
      ingestUsageEvents: (_, { events }, context) => ingestUsageEvents(context, events),
      ingestUsageEvent: (_, { event }, context) => ingestUsageEvent(context, event),
      setPlan: (_, plan, context) => setPlan(context, plan),
      addEventPack: (_, pack, context) => addEventPack(context, pack),
    },
  };
}
