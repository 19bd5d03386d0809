/**
 * Verifies the ledger against everything derived from it, day by day. Each check is one statement and sees one
 * snapshot.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import type { DayRange } from '#kernel/time/day-range.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import type { VerificationCheck } from '../credits/verify-credits.query.ts';

/** Maximum number of differences shown per check. */
const DIFFERENCES_MAX = 20;

/**
 * Checks one organization, or all that the transaction can see. Test events have no index by time: all of them are
 * checked with the last days.
 */
export async function verifyLedger(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
  { from, until }: DayRange,
): Promise<VerificationCheck[]> {
  const checks: VerificationCheck[] = [];
  for (const { check, compare } of STATEMENTS)
    checks.push({ check, ...(await tx.one(compare, { organizationId, from, until })) });
  return checks;
}

const OF = (column: string) => `(:organizationId::uuid is null or ${column} = :organizationId)`;
/**
 * Condition on a range of days. PostgreSQL plans the statement for the given parameters, and removes conditions on
 * null.
 */
const IN_DAYS = (column: string) =>
  `(:from::date is null or ${column} >= :from::timestamp at time zone 'UTC') and (:until::date is null or ${column} < :until::timestamp at time zone 'UTC')`;
const LIVE_IN_DAYS = (table: string) =>
  `(${table}.livemode and ${IN_DAYS(`${table}.event_time`)} or not ${table}.livemode and :until::date is null)`;

/** `rows` selects the compared items with `is_right`; `shown` formats one of them as text. */
const CHECKS: Readonly<Record<string, { readonly rows: string; readonly shown: string }>> = {
  'hour counters = ledger, live completed events': {
    rows: `
      select coalesce(h.organization_id, l.organization_id) as organization_id, coalesce(h.hour, l.hour) as hour,
        coalesce(h.completed, 0) as counted, coalesce(l.completed, 0) as completed,
        coalesce(h.total_cost, 0) as counted_cost, coalesce(l.cost, 0) as cost,
        coalesce(h.completed, 0) = coalesce(l.completed, 0) and coalesce(h.total_cost, 0) = coalesce(l.cost, 0) as is_right
      from (select * from cost_hour where ${OF('organization_id')} and ${IN_DAYS('hour')}) h
      full join (
        select organization_id, date_trunc('hour', side.time, 'UTC') as hour,
          count(*) filter (where sequence = 0 and side.counts) as completed, coalesce(sum(total_cost) filter (where side.books), 0) as cost
        from cost_entry cross join lateral unnest(
          array[event_time, booked_time], array[true, false], array[booked_time is null, booked_time is not null]
        ) as side (time, counts, books)
        where livemode and side.time is not null and ${OF('organization_id')} and (${IN_DAYS('event_time')} or booked_time is not null and ${IN_DAYS('booked_time')})
          and ${IN_DAYS('side.time')}
        group by 1, 2) l
        on l.organization_id = h.organization_id and l.hour = h.hour`,
    shown: `format('%s %s: %s events at %s counted, %s at %s in the ledger',
      organization_id, hour, counted, counted_cost, completed, cost)`,
  },
  'hour counters = waiting list, live failed and waiting events': {
    rows: `
      select coalesce(h.organization_id, l.organization_id) as organization_id, coalesce(h.hour, l.hour) as hour,
        coalesce(h.failed, 0) = coalesce(l.failed, 0) and coalesce(h.pending_rate_card, 0) = coalesce(l.waiting, 0) as is_right
      from (select * from cost_hour where ${OF('organization_id')} and ${IN_DAYS('hour')}) h
      full join (
        select organization_id, date_trunc('hour', event_time, 'UTC') as hour,
          count(*) filter (where status = 'failed') as failed, count(*) filter (where status = 'pending_rate_card') as waiting
        from unpriced_event where livemode and ${OF('organization_id')} and ${IN_DAYS('event_time')} group by 1, 2) l
        on l.organization_id = h.organization_id and l.hour = h.hour`,
    shown: "format('%s %s', organization_id, hour)",
  },
  'hour counters = events, tokens of processed live events': {
    rows: `
      select coalesce(h.organization_id, l.organization_id) as organization_id, coalesce(h.hour, l.hour) as hour,
        coalesce(h.quantity, 0) as counted, coalesce(l.quantity, 0) as quantity,
        coalesce(h.quantity, 0) = coalesce(l.quantity, 0) as is_right
      from (select * from cost_hour where ${OF('organization_id')} and ${IN_DAYS('hour')}) h
      full join (
        select e.organization_id, date_trunc('hour', e.event_time, 'UTC') as hour, sum(e.input_tokens + e.output_tokens) as quantity
        from usage_event e
        where e.livemode and ${OF('e.organization_id')} and ${IN_DAYS('e.event_time')} and not exists (
          select 1 from pricing_job j cross join unnest(j.event_ids) as queued (id)
          where j.organization_id = e.organization_id and queued.id = e.id)
        group by 1, 2) l on l.organization_id = h.organization_id and l.hour = h.hour`,
    shown: "format('%s %s: %s tokens counted, %s sent', organization_id, hour, counted, quantity)",
  },
  'every event is in exactly one state': {
    rows: `
      select e.organization_id, e.id, coalesce(l.first_entries, 0) + coalesce(u.rows, 0) + coalesce(q.rows, 0) as states,
        coalesce(l.first_entries, 0) + coalesce(u.rows, 0) + coalesce(q.rows, 0) = 1 as is_right
      from usage_event e
      left join (
        select organization_id, event_id, count(*) as first_entries from cost_entry
        where sequence = 0 and ${OF('organization_id')} and ${LIVE_IN_DAYS('cost_entry')} group by 1, 2) l
        on l.organization_id = e.organization_id and l.event_id = e.id
      left join (select organization_id, event_id, count(*) as rows from unpriced_event
        where ${OF('organization_id')} and ${LIVE_IN_DAYS('unpriced_event')} group by 1, 2) u
        on u.organization_id = e.organization_id and u.event_id = e.id
      left join (
        select j.organization_id, queued.id, count(*) as rows
        from pricing_job j cross join unnest(j.event_ids) as queued (id) where ${OF('j.organization_id')} group by 1, 2) q
        on q.organization_id = e.organization_id and q.id = e.id
      where ${OF('e.organization_id')} and ${LIVE_IN_DAYS('e')}`,
    shown: "format('%s %s: %s states', organization_id, id, states)",
  },
  'entries = costs: the lines of every entry add up to its total': {
    rows: `
      select organization_id, event_id, sequence, total_cost,
        rate_card_id is null and cause = 'priced'
          or total_cost = (select coalesce(sum((line->>4)::numeric), 0) from json_array_elements(explanation->'lines') as line) as is_right
      from cost_entry where ${OF('organization_id')} and ${IN_DAYS('event_time')}`,
    shown: "format('%s %s/%s: %s', organization_id, event_id, sequence, total_cost)",
  },
  'corrections follow a cost, without a gap': {
    rows: `
      select organization_id, event_id, count(*) as entries, max(sequence) + 1 = count(*) and min(sequence) = 0 as is_right
      from cost_entry where ${OF('organization_id')} and ${IN_DAYS('event_time')} group by 1, 2`,
    shown: "format('%s %s', organization_id, event_id)",
  },
};

const STATEMENTS = Object.entries(CHECKS).map(([check, { rows, shown }]) => ({
  check,
  compare: statement<Omit<VerificationCheck, 'check'>, DayRange & { readonly organizationId: OrganizationId | null }>(`
    with compared as (${rows}), wrong as (select ${shown} as text from compared where not is_right limit ${DIFFERENCES_MAX})
    select (select count(*) from compared)::float8 as checked, array(select text from wrong) as differences`),
}));
