/** `SessionTree.events`: between the session's first and last priced event, which attribution tells, its events lie close together. */
import { requestedWindow } from '../../../../kernel/time/requested-window.ts';
import { now } from '../../../../platform/clock.ts';
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
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
  // A window ends before its end; the last event is in it.
  const end = new Date(Date.parse(endedAt) + 1).toISOString();
  const window = requestedWindow({ start: startedAt, end }, now());
  return readEvents(context, window, parseEventFilter({ session: sessionId }, 'TIME'), page);
}
