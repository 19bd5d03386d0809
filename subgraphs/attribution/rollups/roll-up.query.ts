/**
 * The steps from facts to sums, as parts of one statement: sums by hour for every key, from these the sums by day, and
 * the days and months of end users.
 */
import { MODEL_PARTS, rollupValueOf } from './cost-fact.table.ts';
import { NO_END_USER } from './end-user-day.table.ts';
import { AMOUNT_COLUMNS, FACT_SUMS, MEASURE_SUMS } from '../measures/measure.ts';
import { TAKES_FACTS } from './rollup-key.table.ts';

/**
 * Sums by hour of `facts` (rows of `cost_fact`) for every key of `keys`, which is one of the joins below: facts up to a
 * key's boundary are left out. Expressions that are the same for all keys are computed once per fact.
 */
export function hourSums(facts: string, keys: string): string {
  return `
    with measured as materialized (
      select organization_id, date_trunc('hour', event_time, 'UTC') as bucket, sequence, arrival, dimensions,
        ${[...MODEL_PARTS, ...AMOUNT_COLUMNS].join(', ')}
      from ${facts} as fact)
    select organization_id, dimension_key, bucket, dimension_value, ${FACT_SUMS}
    from (
      select measured.*, rolled.key as dimension_key, ${rollupValueOf('rolled.key')} as dimension_value
      from measured ${keys}
      where rolled.boundary is null or measured.arrival > rolled.boundary
    ) as valued
    group by 1, 2, 3, 4`;
}

/**
 * Joins the keys of some organizations that take new facts; `organizationIds` is SQL for an array. Forces a lookup by
 * primary key for each organization: nearly every key takes facts, so an index on the state would scan the keys of all
 * organizations.
 */
export function keysThatTakeFacts(organizationIds: string): string {
  return `join (
    select key.organization_id, key.key, key.boundary from unnest(${organizationIds}) as wanted (organization_id)
    cross join lateral (select * from rolled_key where organization_id = wanted.organization_id offset 0) as key where ${TAKES_FACTS})
    as rolled using (organization_id)`;
}

/** Joins the keys of one organization that facts are added to; `organization` is SQL for its id. */
export function keysOf(organization: string): string {
  return joinKeys(`(select key, boundary from rolled_key where organization_id = ${organization} and ${TAKES_FACTS})`);
}

/** Joins one key, without a boundary. */
export function oneKey(key: string): string {
  return joinKeys(`(select ${key}::text as key, null::bigint as boundary)`);
}

/**
 * Joins `keys` of the organization that all facts belong to; its columns are `key` and `boundary`. No condition on the
 * organization: the planner would expect hardly any rows, and sort them instead of hashing.
 */
export function joinKeys(keys: string): string {
  return `cross join ${keys} as rolled`;
}

/** Sums by day of hourly rows. */
export function daySums(hours: string): string {
  return `
    select organization_id, dimension_key, date_trunc('day', bucket, 'UTC') as bucket, dimension_value, ${MEASURE_SUMS}
    from ${hours} group by 1, 2, 3, 4`;
}

/** Sums by end user and day of `facts`. */
export function endUserDaySums(facts: string): string {
  return `
    select organization_id, date_trunc('day', event_time, 'UTC') as bucket,
      coalesce(end_user_id, '${NO_END_USER}') as end_user_id,
      sum(total_cost) as total_cost, count(*) filter (where sequence = 0) as event_count
    from ${facts} group by 1, 2, 3`;
}

/** Sums by end user and month of daily rows. */
export function endUserMonthSums(days: string): string {
  return `
    select organization_id, date_trunc('month', bucket, 'UTC') as bucket, end_user_id,
      sum(total_cost) as total_cost, sum(event_count) as event_count
    from ${days} group by 1, 2, 3`;
}
