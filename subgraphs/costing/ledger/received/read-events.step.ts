/** Reads a page of events with their status and cost, filtered and ordered. */
import type { OrganizationId } from '#kernel/ids.ts';
import { parseAmount } from '#kernel/parse-amount.ts';
import { keysetCursor, parseKeyset } from '#kernel/page-cursor.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import type { Window } from '#kernel/time/window.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { EVENTS_BY_COST_MAX, EVENTS_SCANNED_MAX } from '../../config.ts';
import { countUsage } from '../../events/count-usage.query.ts';
import type { EventOrder, PageInfo } from '../../resolvers.generated.ts';
import type { EventSelection } from './event-filter.ts';
import { receivedEventsByIds } from './received-events.query.ts';
import { usageEventView, type UsageEventView } from './usage-event-view.step.ts';
import { countEndUserEvents, type EventCursor, type EventsQuery, findEvents } from './selected-events.query.ts';

export interface EventPage {
  readonly first: number;
  readonly after?: string | null | undefined;
}

export interface EventConnectionView {
  readonly nodes: UsageEventView[];
  readonly edges: { readonly cursor: string; readonly node: UsageEventView }[];
  readonly pageInfo: PageInfo;
  readonly totalCount: number | null;
}

const EVENTS_MAX = 200;

/**
 * Fails with `NOT_FOUND` for an end user without events, and with `UNPROCESSABLE_ENTITY` if too many events would have
 * to be sorted by cost.
 */
export async function readEvents(
  context: SubgraphContext,
  window: Window,
  selection: EventSelection,
  { first, after }: EventPage,
): Promise<EventConnectionView> {
  const organizationId = organizationOf(context);
  const { order } = selection;
  if (first < 1 || first > EVENTS_MAX) fail('VALIDATION_ERROR', `first must be from 1 to ${EVENTS_MAX}`);
  const place = typeof after === 'string' ? parseCursor(after, order) : null;
  const { found, rows, total } = await context.database.snapshot(organizationId, async (tx) => {
    if (order === 'COST') await refuseTooMany(tx, { organizationId, window, selection });
    const places = await findEvents(tx, {
      organizationId,
      window,
      selection,
      after: place,
      limit: first,
      candidatesMax: EVENTS_SCANNED_MAX,
    });
    if (places.places.length === 0) await checkEndUser(tx, organizationId, selection);
    const ids = places.places.map(({ id }) => id);
    return {
      found: places,
      rows: await receivedEventsByIds(tx, organizationId, ids),
      total: isUnfiltered(selection) ? (await countUsage(tx, organizationId, window)).events : null,
    };
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const edges = found.places.flatMap((one) => {
    const row = byId.get(one.id);
    return row ? [{ cursor: cursorOf(one, order), node: usageEventView({ id: row.id, row }) }] : [];
  });
  return {
    nodes: edges.map(({ node }) => node),
    edges,
    pageInfo: {
      hasNextPage: found.next !== null,
      hasPreviousPage: place !== null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: found.next === null ? (edges.at(-1)?.cursor ?? null) : cursorOf(found.next, order),
    },
    totalCount: total,
  };
}

async function refuseTooMany(
  tx: Transaction,
  { organizationId, window, selection: { endUser } }: Pick<EventsQuery, 'organizationId' | 'window' | 'selection'>,
): Promise<void> {
  const max = EVENTS_BY_COST_MAX;
  const events =
    endUser === null
      ? (await countUsage(tx, organizationId, window)).events
      : await countEndUserEvents(tx, { organizationId, endUser, window, max: max + 1 });
  if (events > max)
    fail(
      'UNPROCESSABLE_ENTITY',
      `More than ${max} events would have to be sorted by cost: choose a shorter window, or one end user`,
    );
}

/** Called for a page without events: an unknown end user is an error. */
async function checkEndUser(
  tx: Transaction,
  organizationId: OrganizationId,
  { endUser }: EventSelection,
): Promise<void> {
  if (endUser === null) return;
  if ((await countEndUserEvents(tx, { organizationId, endUser, window: null, max: 1 })) === 0)
    fail('NOT_FOUND', `No event has the end user ${JSON.stringify(endUser)}`);
}

function isUnfiltered({ endUser, status, minCost, conditions, costConditions, order }: EventSelection): boolean {
  const hasConditions = conditions.length + costConditions.length > 0;
  return order === 'TIME' && endUser === null && status === null && minCost === null && !hasConditions;
}

function cursorOf({ at, id }: EventCursor, order: EventOrder): string {
  return keysetCursor([order, at, id]);
}

/** Fails with `VALIDATION_ERROR` for a cursor of another list, or of another order. */
function parseCursor(cursor: string, order: EventOrder): EventCursor {
  const [kind, at = '', id = '', ...more] = parseKeyset(cursor);
  const isValid = order === 'COST' ? parseAmount(at) !== null : parseIso8601(at) !== null;
  if (kind !== order || !isValid || !isUuid(id) || more.length > 0)
    fail('VALIDATION_ERROR', 'after must be a cursor from this list');
  return { at, id };
}
