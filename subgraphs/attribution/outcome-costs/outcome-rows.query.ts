/**
 * Adds up outcomes and their costs. Each fact of a window belongs to one outcome or to none, so the costs of all
 * outcomes and the cost without an outcome add up to the cost of the window. An outcome counts in the window of its
 * own time.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import type { BucketUnit } from '#kernel/time/trend-buckets.ts';
import type { Window } from '#kernel/time/window.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { type AddParameter, query } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { ownerOf } from '../outcomes/owner.query.ts';
import { eventsOf, FACT_COLUMNS, refuseTooManyEvents } from './outcome-events.query.ts';
import type { OutcomeSelection } from './outcome-selection.ts';

export interface OutcomeQuery {
  readonly organizationId: OrganizationId;
  readonly window: Window;
  readonly selection: OutcomeSelection;
}

/** Sums of PostgreSQL, as text. */
export interface OutcomeSums {
  readonly outcomes: string;
  readonly succeeded: string;
  readonly cost: string;
  readonly failedCost: string;
  readonly events: string;
  /** Values of the outcomes that succeeded, by currency. */
  readonly values: Readonly<Record<string, string>> | null;
}

export interface OutcomeGroupRow extends OutcomeSums {
  /** Null in the row of the total. */
  readonly one: string | null;
  readonly isTotal: boolean;
  readonly groups: string;
  /** Cost of facts of the window without an outcome, whatever the filter. */
  readonly costWithout: string;
}

interface Shape {
  /** SQL for the group of a fact, and of an outcome; `null::text` for one group. */
  readonly ofFact: string;
  readonly ofOutcome: string;
}

/** SQL for the outcomes of the window from `$2` to `$3`. */
export const FINISHED =
  'select * from outcome where organization_id = $1 and livemode and at >= $2::timestamptz and at < $3::timestamptz';

/**
 * The groups, costliest first, and the total. Before the tables have statistics, PostgreSQL would compare each fact
 * with each outcome. A full join and a limited subquery rule out such a plan.
 */
export function readOutcomeGroups(
  tx: Transaction,
  input: OutcomeQuery,
  page: { readonly limit: number; readonly offset: number },
): Promise<OutcomeGroupRow[]> {
  const shape = (place: AddParameter): Shape => {
    const group = input.selection.group?.value(place) ?? 'null::text';
    return { ofFact: group, ofOutcome: group };
  };
  return readGroups(tx, input, shape, page);
}

/** Sums by the start of the bucket, as `Instant` writes it. */
export function readOutcomeBuckets(
  tx: Transaction,
  input: OutcomeQuery,
  unit: BucketUnit,
  bucketsMax: number,
): Promise<OutcomeGroupRow[]> {
  const bucket = (time: string) => isoMillis(`date_trunc('${unit}', ${time}, 'UTC')`);
  const shape = () => ({ ofFact: bucket('f.event_time'), ofOutcome: bucket('o.at') });
  return readGroups(tx, input, shape, { limit: bucketsMax, offset: 0 });
}

function readGroups(
  tx: Transaction,
  { organizationId, window, selection }: OutcomeQuery,
  shape: (place: AddParameter) => Shape,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<OutcomeGroupRow[]> {
  const parameters: unknown[] = [organizationId, window.start.iso, window.end.iso];
  const place: AddParameter = (value) => `$${parameters.push(value)}`;
  const { ofFact, ofOutcome } = shape(place);
  const conditions = selection.conditions.map(
    ({ value, values }) => `${value(place)} = any(${place([...values])}::text[])`,
  );
  const where = ['true', ...conditions].join(' and ');
  const text = `
    with finished as materialized (${FINISHED}), fact as materialized (
      select ${FACT_COLUMNS}, ${ownerOf('f', '$1')} as owner_key, true as is_inside
      from cost_fact f where organization_id = $1 and event_time >= $2::timestamptz and event_time < $3::timestamptz
    ), earlier as (
      -- Earlier events of the window's outcomes: they decide which groups those outcomes belong to.
      select distinct on (event_id) * from (${eventsOf('finished')}) as f
      where ${selection.readsEvents} and sequence = 0 and event_time < $2::timestamptz order by event_id
    ), member as materialized (
      select * from fact union all select ${FACT_COLUMNS}, ${ownerOf('f', '$1')}, false from earlier f
    ), owned as materialized (
      select ${ofFact} as one, f.total_cost, f.sequence, o.succeeded
      from fact f cross join lateral (
        select * from outcome o where o.organization_id = $1 and o.livemode and o.key = f.owner_key limit 1
      ) as o
      left join end_user u on u.organization_id = $1 and u.id = f.end_user_id
      where ${where}
    ), counted as materialized (
      select distinct ${ofOutcome} as one, o.key, o.succeeded, o.value, o.currency
      from finished o full join member f on f.owner_key = o.key
      left join end_user u on u.organization_id = $1 and u.id = f.end_user_id
      -- Not "o.key is not null", which would make it a left join again.
      where coalesce(o.key, '') <> '' and ${where}
    ), cost as (
      select one, grouping(one) as is_total, sum(total_cost) as cost, count(*) filter (where sequence = 0) as events,
        coalesce(sum(total_cost) filter (where not succeeded), 0) as failed_cost
      from owned group by grouping sets ((one), ())
    ), number as (
      select one, grouping(one) as is_total, count(distinct key) as outcomes,
        count(distinct key) filter (where succeeded) as succeeded
      from counted group by grouping sets ((one), ())
    ), worth as (
      select one, is_total, jsonb_object_agg(currency, value::text) as values from (
        select one, 0 as is_total, currency, sum(value) as value
        from counted where succeeded and value is not null group by one, currency
        union all select null, 1, currency, sum(value)
        from (select distinct key, value, currency from counted where succeeded and value is not null) as one_each group by currency
      ) as by_currency group by one, is_total
    ), grouped as (
      select coalesce(cost.one, number.one) as one, coalesce(cost.is_total, number.is_total) = 1 as is_total,
        coalesce(outcomes, 0)::text as outcomes, coalesce(succeeded, 0)::text as succeeded, coalesce(cost, 0) as cost,
        coalesce(failed_cost, 0)::text as failed_cost, coalesce(events, 0)::text as events
      from cost full join number on coalesce(number.one, '') = coalesce(cost.one, '') and number.is_total = cost.is_total
    )
    select page.one, page.is_total, page.outcomes, page.succeeded, page.cost::text, page.failed_cost, page.events, worth.values,
      (select count(*) from grouped where not is_total)::text as groups,
      (select coalesce(sum(total_cost), 0) from fact where owner_key is null)::text as cost_without
    from (
      (select * from grouped where not is_total order by cost desc, one collate "C" limit ${place(limit)}::int offset ${place(offset)}::int)
      union all select * from grouped where is_total
    ) as page
    left join worth on coalesce(worth.one, '') = coalesce(page.one, '') and (worth.is_total = 1) = page.is_total
    order by page.is_total, page.cost desc, page.one collate "C"`;
  return query<OutcomeGroupRow>(tx, text, parameters);
}

/** SQL for the outcomes with the keys `$2`. */
const WANTED = 'select * from outcome where organization_id = $1 and livemode and key = any($2::text[])';

export interface OutcomeCost {
  readonly key: string;
  readonly cost: string;
  readonly events: string;
  /** Sessions of its events, at most ten. */
  readonly sessions: readonly string[] | null;
}

/**
 * All costs of outcomes, by key, whenever they were booked; outcomes without costs are missing. Fails with
 * `UNPROCESSABLE_ENTITY` if they have too many events.
 */
export async function readOutcomeCosts(
  tx: Transaction,
  organizationId: OrganizationId,
  keys: readonly string[],
  eventsMax?: number,
): Promise<ReadonlyMap<string, OutcomeCost>> {
  if (keys.length === 0) return new Map();
  await refuseTooManyEvents(tx, WANTED, [organizationId, keys], eventsMax);
  const costs = await query<OutcomeCost>(
    tx,
    `
    with wanted as materialized (${WANTED}), fact as (
      select distinct on (event_id, sequence) * from (${eventsOf('wanted')}) as f order by event_id, sequence
    )
    select owner_key as key, sum(total_cost)::text as cost, (count(*) filter (where sequence = 0))::text as events,
      (array_agg(distinct session_id order by session_id) filter (where session_id is not null))[1:10] as sessions
    from (select ${ownerOf('f', '$1')} as owner_key, f.* from fact f) as owned
    where owner_key = any($2::text[]) group by owner_key`,
    [organizationId, keys],
  );
  return new Map(costs.map((cost) => [cost.key, cost]));
}
