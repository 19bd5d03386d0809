/**
 * Sums a period exactly, in one statement and thus from one snapshot: whole hours from their counters, partial hours
 * from the ledger.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { rowById } from '#platform/database/row-by-id.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { inWholeHours } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';

export interface PeriodCosts {
  /** USD, as text. */
  readonly totalCost: string;
  /** Number of live events by state. */
  readonly completed: number;
  readonly failed: number;
  readonly pending: number;
  readonly pendingRateCard: number;
  /** Cost of the period before. */
  readonly previousCost: string;
}

/** Parameters of a period: its start and end, then the start and end of its whole hours. */
const PERIOD = { start: ':start', end: ':end', firstHour: ':firstHour', hoursEnd: ':hoursEnd' };
const PREVIOUS: typeof PERIOD = {
  start: ':previousStart',
  end: ':previousEnd',
  firstHour: ':previousFirstHour',
  hoursEnd: ':previousHoursEnd',
};

const inHours = ({ firstHour, hoursEnd }: typeof PERIOD) =>
  `organization_id = :organizationId and hour >= ${firstHour} and hour < ${hoursEnd}`;
const within = (column: string, { start, end, firstHour, hoursEnd }: typeof PERIOD) =>
  `(${column} >= ${start} and ${column} < ${firstHour} or ${column} >= ${hoursEnd} and ${column} < ${end})`;
const inEdges = (period: typeof PERIOD) =>
  `organization_id = :organizationId and livemode and ${within('event_time', period)}`;

/** Costs count at the booked time, events at their own time. */
const edgeCost = (period: typeof PERIOD) => `
  (select coalesce(sum(total_cost), 0) from cost_entry where ${inEdges(period)} and booked_time is null)
  + (select coalesce(sum(total_cost), 0) from cost_entry
     where organization_id = :organizationId and livemode and booked_time is not null and ${within('booked_time', period)})`;

const cost = (period: typeof PERIOD) => `
  (select coalesce(sum(total_cost), 0) from cost_hour where ${inHours(period)})
  + ${edgeCost(period)}`;

type PeriodInput = { readonly organizationId: OrganizationId } & Record<keyof typeof PERIOD, string>;
type PreviousInput = { readonly [Name in keyof typeof PERIOD as `previous${Capitalize<Name>}`]: string };

const READ_PERIODS = statement<PeriodCosts, PeriodInput & PreviousInput>(`
    with hours as (
      select coalesce(sum(total_cost), 0) as cost, coalesce(sum(completed), 0) as completed, coalesce(sum(failed), 0) as failed,
        coalesce(sum(pending_rate_card), 0) as waiting
      from cost_hour where ${inHours(PERIOD)}),
    edges as (
      select ${edgeCost(PERIOD)} as cost, (select count(*) from cost_entry where ${inEdges(PERIOD)} and sequence = 0) as completed),
    unpriced as (
      select count(*) filter (where status = 'failed') as failed, count(*) filter (where status = 'pending_rate_card') as waiting
      from unpriced_event where ${inEdges(PERIOD)}),
    queue as (
      select count(*) as pending from pricing_job j cross join unnest(j.event_ids) as queued (id)
      cross join lateral ${rowById('usage_event', ':organizationId', 'queued.id')} as e
      where j.organization_id = :organizationId and e.livemode and e.event_time >= :start and e.event_time < :end)
    select (hours.cost + edges.cost)::text as total_cost, (hours.completed + edges.completed)::float8 as completed,
      (hours.failed + unpriced.failed)::float8 as failed, queue.pending::float8 as pending,
      (hours.waiting + unpriced.waiting)::float8 as pending_rate_card, (${cost(PREVIOUS)})::text as previous_cost
    from hours, edges, unpriced, queue`);

/** Reads both periods in one statement. */
export function readPeriodCosts(
  tx: Transaction,
  organizationId: OrganizationId,
  period: Window,
  previous: Window,
): Promise<PeriodCosts> {
  const { start, end, firstHour, hoursEnd } = inWholeHours(previous);
  return tx.one(READ_PERIODS, {
    organizationId,
    ...inWholeHours(period),
    previousStart: start,
    previousEnd: end,
    previousFirstHour: firstHour,
    previousHoursEnd: hoursEnd,
  });
}

const READ_COST = statement<{ total: string }, PeriodInput>(`select (${cost(PERIOD)})::text as total`);

/** The cost of one period, in USD, as text. */
export async function readPeriodCost(tx: Transaction, organizationId: OrganizationId, period: Window): Promise<string> {
  return (await tx.one(READ_COST, { organizationId, ...inWholeHours(period) })).total;
}
