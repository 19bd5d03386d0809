/**
 * Returns one usage event: by its id, by the global id of `Query.node`, or from a page of the contract, which has some
 * of its fields.
 */
import { parseNodeId } from '#kernel/node-id.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { requireGrant } from '#platform/subgraph/require-grant.ts';
import type { UsageEventSource } from './received-events.query.ts';
import { loadUsageEvent, usageEventView, type UsageEventView } from './usage-event-view.step.ts';

/** Fails with `NOT_FOUND` if the event does not exist or belongs to another organization. */
export async function getUsageEvent(
  context: SubgraphContext,
  reference: UsageEventSource | { readonly nodeId: string },
): Promise<UsageEventView> {
  if ('nodeId' in reference) {
    requireGrant(context, ['usage:read', 'operator']);
    return loadUsageEvent(context, parseNodeId(reference.nodeId)?.key ?? '');
  }
  return reference.page === undefined ? loadUsageEvent(context, reference.id) : usageEventView(reference);
}
