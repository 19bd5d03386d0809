/** Lists events by time of receipt, with cost and token convention, in live or in test mode. */
import { type PageInput, parseKeysetPage, toKeysetConnection, type UncountedConnection } from '#kernel/page-cursor.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import type { ReceivedEvent } from '../../resolvers.generated.ts';
import { toReceivedEvent } from './received-event-view.ts';
import { receivedEvents } from './received-events.query.ts';

export interface ReceivedEventsRequest extends PageInput {
  readonly livemode: boolean;
  /** Id of an event: returns only later events, oldest first. */
  readonly receivedAfter?: string | null | undefined;
}

const EVENTS_MAX = 200;

/** Fails with `VALIDATION_ERROR` for an invalid page or id. */
export async function listReceivedEvents(
  context: SubgraphContext,
  { livemode, receivedAfter = null, ...input }: ReceivedEventsRequest,
): Promise<UncountedConnection<ReceivedEvent>> {
  const organizationId = organizationOf(context);
  const page = parseKeysetPage(input, EVENTS_MAX);
  if (receivedAfter !== null && !isUuid(receivedAfter))
    fail('VALIDATION_ERROR', 'receivedAfter must be the id of an event');
  const from = page.after ?? receivedAfter;
  const order = receivedAfter === null ? 'newest-first' : 'oldest-first';
  const rows = await context.database.find(organizationId, (tx) =>
    receivedEvents(tx, { organizationId, livemode, limit: page.limit + 1 }, { order, from }),
  );
  return toKeysetConnection(rows.map(toReceivedEvent), page);
}
