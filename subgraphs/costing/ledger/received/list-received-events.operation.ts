/** Lists events by time of receipt, with cost and token convention, in live or in test mode. */
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#schema/errors.ts';
import { toReceivedEvent } from './received-event-view.ts';
import { receivedEvents } from './received-events.query.ts';

export interface ReceivedEventsRequest {
  readonly livemode: boolean;
  readonly after?: string | null | undefined;
  readonly limit: number;
}

const EVENTS_MAX = 200;

/** Fails with `VALIDATION_ERROR` for a limit outside `1 … 200`. */
export async function listReceivedEvents(
  context: SubgraphContext,
  { livemode, after = null, limit }: ReceivedEventsRequest,
) {
  const organizationId = organizationOf(context);
  if (limit < 1 || limit > EVENTS_MAX) fail('VALIDATION_ERROR', `limit must be an integer from 1 to ${EVENTS_MAX}`);
  if (after !== null && !isUuid(after)) fail('VALIDATION_ERROR', 'after must be the id of an event');
  const page = { organizationId, livemode, limit };
  const rows = await context.database.readOnce(organizationId, (tx) => receivedEvents(tx, page, after));
  return rows.map(toReceivedEvent);
}
