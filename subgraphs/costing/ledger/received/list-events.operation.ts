/** `Window.events`: events of a window, filtered, newest or costliest first. */
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { requireGrant } from '#platform/subgraph/require-grant.ts';
import type { EventFilter, EventOrder } from '../../resolvers.generated.ts';
import { parseEventFilter } from './event-filter.ts';
import { type EventConnectionView, type EventPage, readEvents } from './read-events.step.ts';

interface EventsRequest extends EventPage {
  readonly filter?: EventFilter | null | undefined;
  readonly orderBy: EventOrder;
}

/**
 * Fails like `readEvents`, and with `FORBIDDEN` if the filter or the order uses costs and the caller may not read
 * costs: even an order reveals them.
 */
export async function listEvents(
  context: SubgraphContext,
  window: Window,
  { filter, orderBy, ...page }: EventsRequest,
): Promise<EventConnectionView> {
  const selection = parseEventFilter(filter, orderBy);
  const { order, minCost } = selection;
  if (order === 'COST' || minCost !== null) requireGrant(context, ['costs:read', 'operator']);
  return readEvents(context, window, selection, page);
}
