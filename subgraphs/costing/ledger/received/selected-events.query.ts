/**
 * Finds a page of events. Candidates are scanned in order, up to a maximum per page, and then filtered. If a page ends
 * because of this maximum, the next page continues after the last candidate.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { rowById } from '#platform/database/row-by-id.ts';
import { query } from '#platform/database/sql.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { Window } from '#kernel/time/window.ts';
import type { EventSelection } from './event-filter.ts';

/** Position of an event in the order: its time (ISO 8601) or its cost (USD), then its id. */
export interface EventCursor {
  readonly at: string;
  readonly id: string;
}

export interface EventsQuery {
  readonly organizationId: OrganizationId;
  readonly window: Window;
  readonly selection: EventSelection;
  readonly after: EventCursor | null;
  readonly limit: number;
  /** Maximum number of events scanned. */
  readonly candidatesMax: number;
}

export interface FoundEvents {
  /** The events of the page, at most `limit`. */
  readonly places: readonly EventCursor[];
  /** Position after which the next page begins; null if this is the last page. */
  readonly next: EventCursor | null;
}

/** Returns the positions of at most `limit` events, in the selection's order. */
export async function findEvents(tx: Transaction, input: EventsQuery): Promise<FoundEvents> {
  const { selection, limit, candidatesMax } = input;
  const found = await readCursors(tx, input, (candidates, place) => {
    const conditions = [...selection.conditions, ...selection.costConditions].map((condition) => condition(place));
    if (selection.minCost !== null && selection.order === 'TIME')
      conditions.push(`cost.total_cost >= ${place(selection.minCost)}::numeric`);
    if (selection.status === 'completed') conditions.push('cost.total_cost is not null');
    if (selection.status === 'pending') conditions.push(`cost.total_cost is null and ${IS_NOT_SET_ASIDE}`);
    return `
      select candidate.at, candidate.id from (${candidates} limit ${place(candidatesMax)}) as candidate
      ${conditions.length > 0 ? EVENT_AND_COST : ''}
      where ${['true', ...conditions].join(' and ')}
      order by ${orderOf(selection, 'candidate.')} limit ${place(limit + 1)}`;
  });
  if (found.length > limit) return { places: found.slice(0, limit), next: found[limit - 1] ?? null };
  const [last] = await readCursors(
    tx,
    input,
    (candidates, place) => `${candidates} limit 1 offset ${place(candidatesMax - 1)}`,
  );
  return { places: found, next: last ?? null };
}

const EVENT_AND_COST = `
  cross join lateral ${rowById('usage_event', '$1', 'candidate.id')} as event
  cross join lateral (
    select sum(total_cost) as total_cost, max(model_slug) filter (where sequence = 0) as model_slug,
      max(provider_slug) filter (where sequence = 0) as provider_slug
    from cost_entry where organization_id = $1 and event_id = candidate.id
  ) as cost`;

const IS_NOT_SET_ASIDE =
  'not exists (select 1 from unpriced_event where organization_id = $1 and event_id = candidate.id)';

async function readCursors(
  tx: Transaction,
  input: EventsQuery,
  text: (candidates: string, place: (value: unknown) => string) => string,
): Promise<EventCursor[]> {
  const { organizationId, window, selection } = input;
  const parameters: unknown[] = [organizationId, window.start.iso, window.end.iso];
  const place = (value: unknown) => `$${parameters.push(value)}`;
  const candidates = `
    select at, id from (${sourceOf(selection, place)}) as source
    where ${behind(input, place)} order by ${orderOf(selection)}`;
  const body = text(candidates, place);
  const shown = selection.order === 'COST' ? 'found.at::text' : isoMicros('found.at');
  return query<EventCursor>(
    tx,
    `select ${shown} as at, found.id::text from (${body}) as found order by ${orderOf(selection, 'found.')}`,
    parameters,
  );
}

function orderOf({ order }: EventSelection, alias = ''): string {
  // Events of the same instant are in ascending order of id, as in the index by time.
  return order === 'COST' ? `${alias}at desc, ${alias}id desc` : `${alias}at desc, ${alias}id`;
}

function behind({ after, selection: { order } }: EventsQuery, place: (value: unknown) => string): string {
  if (after === null) return 'true';
  const [at, id] = [place(after.at), `${place(after.id)}::uuid`];
  return order === 'COST'
    ? `(at, id) < (${at}::numeric, ${id})`
    : `at <= ${at}::timestamptz and (at < ${at}::timestamptz or id > ${id})`;
}

/** SQL for the candidate events: applies those filters that an index supports. Returns `at` (sort key) and `id`. */
function sourceOf(selection: EventSelection, place: (value: unknown) => string): string {
  const { endUser, status, order, minCost } = selection;
  const live = 'organization_id = $1 and livemode and event_time >= $2 and event_time < $3';
  const ofOne = endUser === null ? '' : ` and end_user_external_id = ${place(endUser)}`;
  if (order === 'COST') {
    const enough = minCost === null ? '' : `having sum(total_cost) >= ${place(minCost)}::numeric`;
    if (endUser === null)
      return `select sum(total_cost) as at, event_id as id from cost_entry where ${live} group by event_id ${enough}`;
    return `
      select cost.at, event.id from (select id from usage_event where ${live}${ofOne} offset 0) as event
      cross join lateral (
        select sum(total_cost) as at from cost_entry where organization_id = $1 and event_id = event.id ${enough}
      ) as cost where cost.at is not null`;
  }
  if (status === 'failed' || status === 'pending_rate_card') {
    const known =
      endUser === null
        ? ''
        : `and exists (select 1 from usage_event where organization_id = $1 and id = unpriced_event.event_id${ofOne})`;
    return `select event_time as at, event_id as id from unpriced_event where ${live} and status = ${place(status)} ${known}`;
  }
  return `select event_time as at, id from usage_event where ${live}${ofOne}`;
}

const COUNT_END_USER_EVENTS = statement<
  { events: number },
  {
    readonly organizationId: OrganizationId;
    readonly endUser: string;
    readonly start: string | null;
    readonly end: string | null;
    readonly max: number;
  }
>(`select count(*)::float8 as events from (
      select 1 from usage_event where organization_id = :organizationId and livemode and end_user_external_id = :endUser
        and (:start::timestamptz is null or event_time >= :start and event_time < :end) limit :max) as counted`);

/** Counts live events of an end user in a window, up to a maximum. */
export async function countEndUserEvents(
  tx: Transaction,
  {
    organizationId,
    endUser,
    window,
    max,
  }: { organizationId: OrganizationId; endUser: string; window: Window | null; max: number },
): Promise<number> {
  const { events } = await tx.one(COUNT_END_USER_EVENTS, {
    organizationId,
    endUser,
    start: window?.start.iso ?? null,
    end: window?.end.iso ?? null,
    max,
  });
  return events;
}
