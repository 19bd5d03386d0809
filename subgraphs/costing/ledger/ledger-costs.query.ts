/** Reads the ledger of a window as of an instant: from the entries, not from stored sums. */
import type { ApiKeyId, OrganizationId } from '#kernel/ids.ts';
import type { Window } from '#kernel/time/window.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';

/**
 * Entries of the window from `:start` to `:end`, written until `:asOf` if that is given. Costs count at the booked time
 * (`is_booked`), events at their own time (`is_event`). An entry that is booked late may belong to the window only as
 * an event, with a cost of zero.
 */
const OF_WINDOW = `
  select organization_id, event_id, event_time, booked_time, model_slug, provider_slug, side.counts as is_event, side.costs as is_booked,
    case when side.costs then total_cost else 0 end as total_cost
  from cost_entry cross join lateral (
    values (event_time, sequence = 0, booked_time is null), (booked_time, false, true)) as side (at, counts, costs)
  where organization_id = :organizationId and livemode and (:asOf::timestamptz is null or recorded_at <= :asOf)
    and (event_time >= :start and event_time < :end or booked_time >= :start and booked_time < :end)
    and side.at >= :start and side.at < :end and (side.counts or side.costs)`;

export interface LedgerLine {
  /** First day of the closed month that the entries correct; null if they are booked at their own time. */
  readonly correctedMonth: string | null;
  readonly modelSlug: string;
  readonly providerSlug: string;
  /** USD, as text. */
  readonly totalCost: string;
  readonly events: number;
  readonly entries: number;
}

export interface LedgerOfWindow {
  readonly organizationId: OrganizationId;
  readonly window: Window;
  readonly asOf: Date | null;
}

interface LedgerInput {
  readonly organizationId: OrganizationId;
  readonly start: string;
  readonly end: string;
  readonly asOf: Date | null;
}

function inputOf({ organizationId, window, asOf }: LedgerOfWindow): LedgerInput {
  return { organizationId, start: window.start.iso, end: window.end.iso, asOf };
}

const ENTRY_AFTER = statement<object, LedgerInput & { readonly entriesMax: number }>(
  `select 1 from (${OF_WINDOW}) as entry offset :entriesMax limit 1`,
);

/** True if the window has more than `entriesMax` entries. */
export async function hasMoreEntries(tx: Transaction, ledger: LedgerOfWindow, entriesMax: number): Promise<boolean> {
  return (await tx.first(ENTRY_AFTER, { ...inputOf(ledger), entriesMax })) !== null;
}

export interface LedgerEndUserLine {
  /** Null: the events have no end user. */
  readonly externalId: string | null;
  readonly totalCost: string;
  readonly events: number;
}

/** SQL for costs by a column of the events, costliest first. */
const linesBy = (column: string) => `
  select ${column}, sum(booked.total_cost)::text as total_cost, (count(*) filter (where booked.is_event))::float8 as events
  from (${OF_WINDOW}) as booked
  join usage_event event on event.organization_id = booked.organization_id and event.id = booked.event_id
  group by 1 order by sum(booked.total_cost) desc, 1`;

const BY_END_USER = statement<LedgerEndUserLine, LedgerInput>(linesBy('event.end_user_external_id as external_id'));

/** Every end user of the window, costliest first. */
export function readLedgerByEndUser(tx: Transaction, ledger: LedgerOfWindow): Promise<LedgerEndUserLine[]> {
  return tx.all(BY_END_USER, inputOf(ledger));
}

interface LedgerApiKeyLine {
  readonly apiKeyId: ApiKeyId | null;
  readonly totalCost: string;
  readonly events: number;
}

const BY_API_KEY = statement<LedgerApiKeyLine, LedgerInput>(linesBy('event.api_key_id'));

/** Every API key that sent events of the window, costliest first; null for events stored before keys were recorded. */
export function readLedgerByApiKey(tx: Transaction, ledger: LedgerOfWindow): Promise<LedgerApiKeyLine[]> {
  return tx.all(BY_API_KEY, inputOf(ledger));
}

const LINES = statement<LedgerLine, LedgerInput>(`
    select case when is_booked and booked_time is not null then to_char(event_time at time zone 'UTC', 'YYYY-MM') end as corrected_month,
       model_slug, provider_slug, sum(total_cost)::text as total_cost, (count(*) filter (where is_event))::float8 as events,
       (count(*) filter (where is_booked))::float8 as entries
     from (${OF_WINDOW}) as entry group by 1, 2, 3 order by sum(total_cost) desc, 2, 3, 1`);

export function readLedgerLines(tx: Transaction, ledger: LedgerOfWindow): Promise<LedgerLine[]> {
  return tx.all(LINES, inputOf(ledger));
}
