/**
 * Problem groups among an organization's events: waiting events by reason, events with a guessed cost, and events
 * priced at base rates.
 */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { Window } from '#kernel/time/window.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { Placeholder } from '#platform/database/tables.ts';
import { INCOMPLETE } from '#usage/counts/incomplete.ts';
import { GUESSED, STATED } from '#usage/counts/read-tokens.ts';

/** Maximum number of groups returned, most frequent first. */
const GROUPS_MAX = 100;

export interface UnpricedGroup {
  readonly status: 'pending_rate_card' | 'failed';
  /** As sent. */
  readonly provider: string | null;
  readonly model: string;
  readonly reason: string;
  readonly events: number;
  /** Range of the events' own times. */
  readonly firstAt: string;
  readonly lastAt: string;
  readonly exampleEventId: string;
}

const GROUP_UNPRICED_EVENTS = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) => sql<UnpricedGroup>`
    select status, provider, model, reason, count(*)::float8 as events, min(event_time)::text as first_at,
      max(event_time)::text as last_at, max(event_id::text) as example_event_id
    from unpriced_event where organization_id = ${organizationId} and livemode
    group by status, provider, model, reason order by count(*) desc, model, provider, reason limit ${sql.lit(GROUPS_MAX)}`,
);

/** Live events without a cost. */
export function groupUnpricedEvents(tx: Transaction, organizationId: OrganizationId): Promise<UnpricedGroup[]> {
  return tx.all(GROUP_UNPRICED_EVENTS, { organizationId });
}

/**
 * SQL that is true for the entry that currently determines an event's cost: no later report or active repricing follows
 * it, and no revert undid it. Each table has its own organization filter: on several nodes, the coordinator does not
 * derive it from a join.
 */
const isStanding = (organizationId: Placeholder<string>) => sql<boolean>`
  not exists (
    select 1 from cost_entry later
    where later.organization_id = ${organizationId} and later.event_id = e.event_id and later.sequence > e.sequence
      and later.cause in ('repriced', 'reported')
      and not exists (select 1 from repricing r where r.organization_id = ${organizationId} and r.reverts = later.repricing_id))
  and not exists (select 1 from repricing r where r.organization_id = ${organizationId} and r.reverts = e.repricing_id)`;

export interface GuessedGroup {
  /** Slugs, as in the ledger. */
  readonly provider: string;
  readonly model: string;
  readonly events: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly exampleEventId: string;
}

const GROUP_GUESSED_ENTRIES = statement(
  ({ organizationId, since }: Parameters<{ organizationId: OrganizationId; since: Date }>) => sql<GuessedGroup>`
    select provider_slug as provider, model_slug as model, count(*)::float8 as events, min(event_time)::text as first_at,
      max(event_time)::text as last_at, max(event_id::text) as example_event_id
    from cost_entry e
    where e.organization_id = ${organizationId} and e.reading in ('guessed', 'incomplete') and e.livemode and e.event_time >= ${since}
      and ${isStanding(organizationId)}
    group by 1, 2 order by count(*) desc, 2, 1 limit ${sql.lit(GROUPS_MAX)}`,
);

/** Live events at or after `since` with a cost that is based on a guess or on the sender's estimate. */
export function groupGuessedEntries(
  tx: Transaction,
  organizationId: OrganizationId,
  since: Date,
): Promise<GuessedGroup[]> {
  return tx.all(GROUP_GUESSED_ENTRIES, { organizationId, since });
}

/** Ids of the latest events with one of these readings. */
function latestEvents(readings: readonly string[]) {
  return statement(
    ({ organizationId, since, max }: Parameters<{ organizationId: OrganizationId; since: Date; max: number }>) => sql<{
      eventId: EventId;
    }>`
      select e.event_id from cost_entry e
      where e.organization_id = ${organizationId} and e.reading in (${sql.join(readings.map((reading) => sql.lit(reading)))})
        and e.livemode and e.event_time >= ${since} and ${isStanding(organizationId)}
      order by e.event_time desc, e.event_id limit ${max}`,
  );
}

const LATEST_EVENTS = { guessed: latestEvents([GUESSED, INCOMPLETE]), stated: latestEvents([STATED]) };

/** Ids of the latest events whose counts are a guess, or were read as the organization or the request stated. */
export async function listEventIdsRead(
  tx: Transaction,
  organizationId: OrganizationId,
  reading: keyof typeof LATEST_EVENTS,
  { since, max }: { readonly since: Date; readonly max: number },
): Promise<string[]> {
  return (await tx.all(LATEST_EVENTS[reading], { organizationId, since, max })).map(({ eventId }) => eventId);
}

const COUNT_GUESSED_ENTRIES = statement(
  ({ organizationId, start, end }: Parameters<{ organizationId: OrganizationId; start: string; end: string }>) => sql<{
    events: number;
  }>`
    select count(*)::float8 as events from cost_entry e
    where e.organization_id = ${organizationId} and e.reading in ('guessed', 'incomplete') and e.livemode
      and e.event_time >= ${start} and e.event_time < ${end} and ${isStanding(organizationId)}`,
);

/** Live events of a window, by their own time, whose cost is based on a guess or on the sender's estimate. */
export function countGuessedEntries(tx: Transaction, organizationId: OrganizationId, window: Window): Promise<number> {
  return countIn(tx, COUNT_GUESSED_ENTRIES, organizationId, window);
}

const COUNT_AT_BASE = statement(
  ({ organizationId, start, end }: Parameters<{ organizationId: OrganizationId; start: string; end: string }>) => sql<{
    events: number;
  }>`
    select count(*)::float8 as events from cost_entry e
    where e.organization_id = ${organizationId} and e.unknown_context is not null and e.livemode
      and e.event_time >= ${start} and e.event_time < ${end} and ${isStanding(organizationId)}`,
);

/** Live events of a window, by their own time, whose cost ignores a part of their context. */
export function countEntriesAtBase(tx: Transaction, organizationId: OrganizationId, window: Window): Promise<number> {
  return countIn(tx, COUNT_AT_BASE, organizationId, window);
}

async function countIn(
  tx: Transaction,
  count: typeof COUNT_AT_BASE,
  organizationId: OrganizationId,
  window: Window,
): Promise<number> {
  const [row] = await tx.all(count, { organizationId, start: window.start.iso, end: window.end.iso });
  return row?.events ?? 0;
}

export interface AtBaseGroup extends GuessedGroup {
  readonly unknownContext: string;
}

const GROUP_AT_BASE = statement(
  ({ organizationId, since }: Parameters<{ organizationId: OrganizationId; since: Date }>) => sql<AtBaseGroup>`
    select e.provider_slug as provider, e.model_slug as model, e.unknown_context, count(*)::float8 as events,
      min(e.event_time)::text as first_at, max(e.event_time)::text as last_at, max(e.event_id::text) as example_event_id
    from cost_entry e
    where e.organization_id = ${organizationId} and e.unknown_context is not null and e.livemode and e.event_time >= ${since}
      and ${isStanding(organizationId)}
    group by 1, 2, 3 order by count(*) desc, 2, 1, 3 limit ${sql.lit(GROUPS_MAX)}`,
);

/** Live events at or after `since` with a cost that ignores a part of their context. */
export function groupEntriesAtBase(
  tx: Transaction,
  organizationId: OrganizationId,
  since: Date,
): Promise<AtBaseGroup[]> {
  return tx.all(GROUP_AT_BASE, { organizationId, since });
}
