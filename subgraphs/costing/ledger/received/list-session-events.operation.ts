/** `SessionTree.events`: the session's events between its first and last priced event, which attribution supplies. */
import { requestedWindow } from '#kernel/time/requested-window.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { parseEventFilter } from './event-filter.ts';
import { type EventConnectionView, type EventPage, readEvents } from './read-events.step.ts';

interface SessionReference {
  readonly sessionId: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt: string;
}

export async function listSessionEvents(
  context: SubgraphContext,
  { sessionId, startedAt, endedAt }: SessionReference,
  page: EventPage,
): Promise<EventConnectionView> {
  // A window's end is exclusive; this one includes the last event.
  const end = new Date(Date.parse(endedAt) + 1).toISOString();
  const window = requestedWindow({ start: startedAt, end }, now());
  return readEvents(context, window, parseEventFilter({ session: sessionId }, 'TIME'), page);
}
