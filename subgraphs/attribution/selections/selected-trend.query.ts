/** Costs of a selection by bucket of time: in total, or of the costliest values of its group and the rest. */
import type { Transaction } from '../../../platform/database/sql.ts';
import type { BucketUnit } from '../../../kernel/time/trend-buckets.ts';
import { COST_COLUMNS, COST_SUMS } from '../measures/measure.ts';
import { readSelected, type SelectionQuery } from './selected-rows.query.ts';

export interface SelectedTrendCell {
  /** First instant of the bucket, as `Instant` writes it. */
  readonly first: string;
  /** Place of the group's value, costliest first from 1; null for all others together. */
  readonly place: number | null;
  readonly value: string | null;
  readonly totalCost: string;
  readonly eventCount: string;
}

/** Buckets in which nothing happened have no cell. */
export function readSelectedTrend(
  tx: Transaction,
  input: SelectionQuery,
  { unit, seriesMax }: { readonly unit: BucketUnit; readonly seriesMax: number },
): Promise<SelectedTrendCell[]> {
  return readSelected<SelectedTrendCell>(tx, input, {
    text: (rows, parameter) => `
      with cell as materialized (
        select one, date_trunc('${unit}', at, 'UTC') as bucket, ${COST_SUMS} from ${rows} as selected group by 1, 2
      ), top as (
        select one, row_number() over (order by sum(total_cost) desc, one collate "C")::int as place
        from cell group by 1 order by 2 limit ${parameter(0)}::int
      )
      -- Text is made of the few cells of the answer, not of every value's.
      select to_char(bucket at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as first, place, value, total_cost, event_count
      from (
        select bucket, place, case when place is not null then cell.one end as value, ${COST_SUMS}
        from cell left join top on top.one is not distinct from cell.one group by 1, 2, 3) as line`,
    parameters: [seriesMax],
    columns: COST_COLUMNS,
    isDated: true,
    order: 'place nulls last, first',
  });
}
