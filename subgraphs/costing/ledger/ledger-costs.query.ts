/** Reads the ledger of a window as of an instant: from the entries, not from stored sums. */
import type { Window } from '#kernel/time/window.ts';
import { query } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';

/**
 * Entries of the window `$2` to `$3`, written until `$4` if that is given. Costs count at the booked time
 * (`is_booked`), events at their own time (`is_event`). An entry that is booked late may belong to the window only as
 * an event, with a cost of zero.
 */
const OF_WINDOW = `
  select organization_id, event_id, event_time, booked_time, model_slug, provider_slug, side.counts as is_event, side.costs as is_booked,
    case when side.costs then total_cost else 0 end as total_cost
  from cost_entry cross join lateral (
    values (event_time, sequence = 0, booked_time is null), (booked_time, false, true)) as side (at, counts, costs)
  where organization_id = $1 and livemode and ($4::timestamptz is null or recorded_at <= $4)
    and (event_time >= $2 and event_time < $3 or booked_time >= $2 and booked_time < $3)
    and side.at >= $2 and side.at < $3 and (side.counts or side.costs)`;

export interface LedgerLine {
  /** First day of the entries' month, if it was closed when they were written; null: booked at their own time. */
  readonly correctedMonth: string | null;
  readonly modelSlug: string;
  readonly providerSlug: string;
  /** USD, as text. */
  readonly totalCost: string;
  readonly events: number;
  readonly entries: number;
}

export interface LedgerOfWindow {
  readonly organizationId: string;
  readonly window: Window;
  readonly asOf: Date | null;
}

function parametersOf({ organizationId, window, asOf }: LedgerOfWindow): unknown[] {
  return [organizationId, window.start.iso, window.end.iso, asOf];
}

export async function hasMoreEntries(tx: Transaction, ledger: LedgerOfWindow, entriesMax: number): Promise<boolean> {
  const more = await query(tx, `select 1 from (${OF_WINDOW}) as entry offset $5 limit 1`, [
    ...parametersOf(ledger),
    entriesMax,
  ]);
  return more.length > 0;
}

export interface LedgerEndUserLine {
  /** Null: the events have no end user. */
  readonly externalId: string | null;
  readonly totalCost: string;
  readonly events: number;
}

/** Every end user of the window, costliest first. */
export function readLedgerByEndUser(tx: Transaction, ledger: LedgerOfWindow): Promise<LedgerEndUserLine[]> {
  return query<LedgerEndUserLine>(
    tx,
    `select event.end_user_external_id as external_id, sum(booked.total_cost)::text as total_cost,
       (count(*) filter (where booked.is_event))::float8 as events
     from (${OF_WINDOW}) as booked
     join usage_event event on event.organization_id = booked.organization_id and event.id = booked.event_id
     group by 1 order by sum(booked.total_cost) desc, 1`,
    parametersOf(ledger),
  );
}

/** Every API key that sent events of the window, costliest first; null for events stored before keys were recorded. */
export function readLedgerByApiKey(
  tx: Transaction,
  ledger: LedgerOfWindow,
): Promise<{ readonly apiKeyId: string | null; readonly totalCost: string; readonly events: number }[]> {
  return query(
    tx,
    `select event.api_key_id, sum(booked.total_cost)::text as total_cost,
       (count(*) filter (where booked.is_event))::float8 as events
     from (${OF_WINDOW}) as booked
     join usage_event event on event.organization_id = booked.organization_id and event.id = booked.event_id
     group by 1 order by sum(booked.total_cost) desc, 1`,
    parametersOf(ledger),
  );
}

export function readLedgerLines(tx: Transaction, ledger: LedgerOfWindow): Promise<LedgerLine[]> {
  return query<LedgerLine>(
    tx,
    `select case when is_booked and booked_time is not null then to_char(event_time at time zone 'UTC', 'YYYY-MM') end as corrected_month,
       model_slug, provider_slug, sum(total_cost)::text as total_cost, (count(*) filter (where is_event))::float8 as events,
       (count(*) filter (where is_booked))::float8 as entries
     from (${OF_WINDOW}) as entry group by 1, 2, 3 order by sum(total_cost) desc, 2, 3, 1`,
    parametersOf(ledger),
  );
}
