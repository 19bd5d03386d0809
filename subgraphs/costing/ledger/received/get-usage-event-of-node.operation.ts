/** Returns one usage event for `Query.node`, which checks no scope. */
import type { EventId } from '#kernel/ids.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { requireGrant } from '#platform/subgraph/require-grant.ts';
import { loadUsageEvent, type UsageEventView } from './usage-event-view.step.ts';

/** Fails with `NOT_FOUND` if the event does not exist or belongs to another organization. */
export async function getUsageEventOfNode(context: SubgraphContext, eventId: EventId): Promise<UsageEventView> {
  requireGrant(context, ['usage:read', 'operator']);
  return loadUsageEvent(context, eventId);
}
