/**
 * Sums a period exactly, in one statement and thus from one snapshot: whole hours from their counters, partial hours
 * from the ledger.
 */
import { queryOne } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { wholeUnits } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';

export interface PeriodCosts {
  /** USD, as text. */
  readonly totalCost: string;
  /** Number of live events by state. */
  readonly completed: number;
  readonly failed: number;
  readonly pending: number;
  readonly pendingRateCard: number;
  /** Cost of the other period. */
  readonly previousCost: string;
}

/** Parameters of a period, starting at number `at`: its start and end, then those of its whole hours. */
const inHours = (at: number) => `organization_id = $1 and hour >= $${at + 2} and hour < $${at + 3}`;
const within = (column: string, at: number) =>
  `(${column} >= $${at} and ${column} < $${at + 2} or ${column} >= $${at + 3} and ${column} < $${at + 1})`;
const inEdges = (at: number) => `organization_id = $1 and livemode and ${within('event_time', at)}`;

/** Costs count at the booked time, events at their own time. */
const edgeCost = (at: number) => `
  (select coalesce(sum(total_cost), 0) from cost_entry where ${inEdges(at)} and booked_time is null)
  + (select coalesce(sum(total_cost), 0) from cost_entry
     where organization_id = $1 and livemode and booked_time is not null and ${within('booked_time', at)})`;

const cost = (at: number) => `
  (select coalesce(sum(total_cost), 0) from cost_hour where ${inHours(at)})
  + ${edgeCost(at)}`;

/** Reads both periods in one statement. */
export function readPeriodCosts(
  tx: Transaction,
  organizationId: string,
  period: Window,
  previous: Window,
): Promise<PeriodCosts> {
  return queryOne<PeriodCosts>(
    tx,
    `
    with hours as (
      select coalesce(sum(total_cost), 0) as cost, coalesce(sum(completed), 0) as completed, coalesce(sum(failed), 0) as failed,
        coalesce(sum(pending_rate_card), 0) as waiting
      from cost_hour where ${inHours(2)}),
    edges as (
      select ${edgeCost(2)} as cost, (select count(*) from cost_entry where ${inEdges(2)} and sequence = 0) as completed),
    unpriced as (
      select count(*) filter (where status = 'failed') as failed, count(*) filter (where status = 'pending_rate_card') as waiting
      from unpriced_event where ${inEdges(2)}),
    queue as (
      select count(*) as pending from pricing_job j cross join unnest(j.event_ids) as queued (id)
      join usage_event e on e.organization_id = j.organization_id and e.id = queued.id
      where j.organization_id = $1 and e.livemode and e.event_time >= $2 and e.event_time < $3)
    select (hours.cost + edges.cost)::text as total_cost, (hours.completed + edges.completed)::float8 as completed,
      (hours.failed + unpriced.failed)::float8 as failed, queue.pending::float8 as pending,
      (hours.waiting + unpriced.waiting)::float8 as pending_rate_card, (${cost(6)})::text as previous_cost
    from hours, edges, unpriced, queue`,
    [organizationId, ...parameters(period), ...parameters(previous)],
  );
}

/** The cost of one period, in USD, as text. */
export async function readPeriodCost(tx: Transaction, organizationId: string, period: Window): Promise<string> {
  const { total } = await queryOne<{ total: string }>(tx, `select (${cost(2)})::text as total`, [
    organizationId,
    ...parameters(period),
  ]);
  return total;
}

function parameters(period: Window): string[] {
  const hours = wholeUnits(period, 'hour');
  return [period.start.iso, period.end.iso, hours.start.iso, hours.end.iso];
}
