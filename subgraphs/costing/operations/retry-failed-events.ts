/** Gives events that were given up another try (decisions.md D20). */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { requeueFailedEvents } from '../data/requeue-events.ts';

/** Of the organization that the operator names, else of all. Returns how many. */
export function retryFailedEvents({ database, principal }: SubgraphContext): Promise<number> {
  return requeueFailedEvents(database, principal.organizationId);
}
