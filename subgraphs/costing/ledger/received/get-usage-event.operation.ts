/**
 * Returns one usage event: by its UUID, or from a page of the contract, which contains only some of the event's
 * fields.
 */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { UsageEventSource } from './received-events.query.ts';
import { loadUsageEvent, usageEventView, type UsageEventView } from './usage-event-view.step.ts';

/** Fails with `NOT_FOUND` if the event does not exist or belongs to another organization. */
export async function getUsageEvent(context: SubgraphContext, source: UsageEventSource): Promise<UsageEventView> {
  return source.page === undefined ? loadUsageEvent(context, source.id) : usageEventView(source);
}
