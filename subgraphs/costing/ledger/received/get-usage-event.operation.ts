/**
 * Returns one usage event: by its UUID, for `Query.node`, or from a page of the contract, which has some of its fields.
 */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { requireGrant } from '#platform/subgraph/require-grant.ts';
import type { UsageEventSource } from './received-events.query.ts';
import { loadUsageEvent, usageEventView, type UsageEventView } from './usage-event-view.step.ts';

/** Fails with `NOT_FOUND` if the event does not exist or belongs to another organization. */
export async function getUsageEvent(context: SubgraphContext, source: UsageEventSource): Promise<UsageEventView> {
  return source.page === undefined ? loadUsageEvent(context, source.id) : usageEventView(source);
}

/** For `Query.node`, which checks no scope. */
export async function getUsageEventOfNode(context: SubgraphContext, eventId: string): Promise<UsageEventView> {
  requireGrant(context, ['usage:read', 'operator']);
  return loadUsageEvent(context, eventId);
}
