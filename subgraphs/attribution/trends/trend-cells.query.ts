/** Costs of a window by time bucket: in total, for one value, or for the costliest values and the rest. */
import type { EndUserId, OrganizationId } from '#kernel/ids.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { TOTAL_KEY } from '../measures/rollup-keys.ts';
import { splitWindow } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';
import type { BucketUnit } from '#kernel/time/trend-buckets.ts';
import { COST_COLUMNS, COST_SUMS } from '../measures/measure.ts';
import { readWindow, valueColumn, type WindowQuery } from '../rollups/read-window.query.ts';

/** Costs of one bucket; empty buckets have no cell. */
export interface TrendCell {
  /** First day of the bucket, YYYY-MM-DD. */
  readonly date: string;
  readonly totalCost: string;
  readonly eventCount: string;
}

export interface ValueTrendCell extends TrendCell {
  /** Rank of the value, 1 for the costliest; null for the sum of all others. */
  readonly place: number | null;
  readonly value: string | null;
}

/** SQL for the first day of a bucket, as text. Only for grouped rows: formatting is slow. */
function dateOfBucket(bucket: string): string {
  return `to_char(${bucket} at time zone 'UTC', 'YYYY-MM-DD')`;
}

function bucketOf(unit: BucketUnit, at: string): string {
  return `date_trunc('${unit}', ${at}, 'UTC')`;
}

/** All events in the window. */
export function readTotalTrend(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
  unit: BucketUnit,
): Promise<TrendCell[]> {
  return readWindow<TrendCell>(
    tx,
    { organizationId, key: TOTAL_KEY, window },
    {
      columns: ['at', ...COST_COLUMNS],
      text: (rows) => `
      select ${dateOfBucket('bucket')} as date, total_cost, event_count
      from (select ${bucketOf(unit, 'at')} as bucket, ${COST_SUMS} from ${rows} as part group by 1) as cell`,
    },
  );
}

/** Events with one value of the key. */
export function readValueTrend(
  tx: Transaction,
  query: WindowQuery,
  value: string,
  unit: BucketUnit,
): Promise<TrendCell[]> {
  return readWindow<TrendCell>(tx, query, {
    columns: ['value', 'at', ...COST_COLUMNS],
    text: (rows, parameter) => `
      select ${dateOfBucket('bucket')} as date, ${COST_SUMS}
      from (select value, ${bucketOf(unit, 'at')} as bucket, ${COST_SUMS} from ${rows} as part group by 1, 2) as cell
      where ${valueColumn(query.key)} = ${parameter(0)} group by 1`,
    parameters: [value],
  });
}

/** The costliest values, at most `valuesMax`, and the rest. A value named `rest` counts towards the rest. */
export function readTopTrend(
  tx: Transaction,
  query: WindowQuery,
  { unit, valuesMax, rest }: { readonly unit: BucketUnit; readonly valuesMax: number; readonly rest: string },
): Promise<ValueTrendCell[]> {
  const shown = valueColumn(query.key);
  return readWindow<ValueTrendCell>(tx, query, {
    columns: ['value', 'at', ...COST_COLUMNS],
    text: (rows, parameter) => `
      with raw_cell as (
        select value, ${bucketOf(unit, 'at')} as bucket, ${COST_SUMS} from ${rows} as part group by 1, 2
      ), cell as materialized (
        select ${shown} as shown, bucket, ${COST_SUMS} from raw_cell group by 1, 2
      ), top as (
        select shown, row_number() over (order by sum(total_cost) desc, shown collate "C")::int as place
        from cell where shown <> ${parameter(1)} group by 1 order by 2 limit ${parameter(0)}::int
      )
      select place, case when place is not null then shown end as value, ${dateOfBucket('bucket')} as date, ${COST_SUMS}
      from cell left join top using (shown) group by 1, 2, 3`,
    parameters: [valuesMax, rest],
  });
}

interface EndUserTrendInput {
  readonly organizationId: OrganizationId;
  readonly endUserId: EndUserId;
  readonly unit: BucketUnit;
  readonly start: string;
  readonly firstDay: string;
  readonly dayAfter: string;
  readonly end: string;
}

const END_USER_FACTS = `
        select event_time as at, total_cost, (sequence = 0)::int as event_count from cost_fact
        where organization_id = :organizationId and end_user_id = :endUserId`;

const READ_END_USER_TREND = statement<TrendCell, EndUserTrendInput>(`
    select ${dateOfBucket('bucket')} as date, total_cost, event_count
    from (
      select date_trunc(:unit::text, at, 'UTC') as bucket, sum(total_cost) as total_cost, sum(event_count) as event_count
      from (
        ${END_USER_FACTS} and event_time >= :start::timestamptz and event_time < :firstDay::timestamptz
        union all
        select bucket, total_cost, event_count
        from generate_series(
          :firstDay::timestamptz, :dayAfter::timestamptz - interval '1 microsecond', interval '1 day', 'UTC') as day (day)
        join end_user_day on organization_id = :organizationId and bucket = day and end_user_id = :endUserId
        union all
        ${END_USER_FACTS} and event_time >= :dayAfter::timestamptz and event_time < :end::timestamptz
      ) as part
      group by 1
    ) as cell`);

/** Costs of one end user by time bucket; whole days are read from the daily sums. */
export function readEndUserTrend(
  tx: Transaction,
  organizationId: OrganizationId,
  endUserId: EndUserId,
  window: Window,
  unit: BucketUnit,
): Promise<TrendCell[]> {
  const [start, firstDay, , , dayAfter, end] = splitWindow(window, 'day', 'month');
  return tx.all(READ_END_USER_TREND, { organizationId, endUserId, unit, start, firstDay, dayAfter, end });
}
