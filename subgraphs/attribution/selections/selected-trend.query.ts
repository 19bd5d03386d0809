/** Costs of a selection by time bucket: in total, or for the costliest values of its group and the rest. */
import type { Transaction } from '#platform/database/transaction.ts';
import { amount, plain } from '#kernel/money.ts';
import type { BucketUnit } from '#kernel/time/trend-buckets.ts';
import { COST_COLUMNS, COST_SUMS } from '../measures/measure.ts';
import { isOfEndUsers, readSelected, type SelectionQuery } from './selected-rows.query.ts';

export interface SelectedTrendCell {
  /** First instant of the bucket, as `Instant` writes it. */
  readonly first: string;
  /** Rank of the group's value, 1 for the costliest; null for the sum of all others. */
  readonly place: number | null;
  readonly value: string | null;
  readonly totalCost: string;
  readonly eventCount: string;
}

interface TrendShape {
  readonly unit: BucketUnit;
  readonly seriesMax: number;
}

/** Empty buckets have no cell. */
export function readSelectedTrend(
  tx: Transaction,
  input: SelectionQuery,
  shape: TrendShape,
): Promise<SelectedTrendCell[]> {
  const isOfEveryone = isOfEndUsers(input) && input.selection.endUser === null;
  return isOfEveryone ? readEndUsersTrend(tx, input, shape) : readCells(tx, input, shape);
}

/**
 * A row per end user and day would be too many. Sums over the whole window determine the end users with lines of their
 * own. Only their rows are read by bucket; the rest is the total minus these lines. Everything is read in the
 * transaction's one snapshot.
 */
async function readEndUsersTrend(
  tx: Transaction,
  input: SelectionQuery,
  shape: TrendShape,
): Promise<SelectedTrendCell[]> {
  const costliest = await readSelected<{ one: string }>(tx, input, {
    text: (rows, parameter) => `
      select one, sum(total_cost) as total_cost from ${rows} as selected
      group by one order by total_cost desc, one collate "C" limit ${parameter(0)}::int`,
    parameters: [shape.seriesMax + 1],
    columns: COST_COLUMNS,
    isDated: false,
    order: 'total_cost desc, one collate "C"',
  });
  const endUserIds = costliest.slice(0, shape.seriesMax).map(({ one }) => one);
  const named = await readCells(tx, { ...input, endUserIds }, shape);
  if (costliest.length <= shape.seriesMax) return named;
  const total = await readCells(tx, { ...input, selection: { ...input.selection, groups: [] } }, shape);
  return [...named, ...subtract(total, named)];
}

/** The cells of all other end users. */
function subtract(total: readonly SelectedTrendCell[], named: readonly SelectedTrendCell[]): SelectedTrendCell[] {
  const namedByFirst = Map.groupBy(named, ({ first }) => first);
  return total.map(({ first, totalCost, eventCount }) => {
    const others = namedByFirst.get(first) ?? [];
    const cost = others.reduce((left, cell) => left - amount(cell.totalCost), amount(totalCost));
    const events = others.reduce((left, cell) => left - BigInt(cell.eventCount), BigInt(eventCount));
    return { first, place: null, value: null, totalCost: plain(cost), eventCount: String(events) };
  });
}

function readCells(
  tx: Transaction,
  input: SelectionQuery,
  { unit, seriesMax }: TrendShape,
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
