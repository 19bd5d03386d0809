/** Sums by the values of one key. */
import type { Transaction } from '#platform/database/transaction.ts';
import { rollupKeyOf, UNASSIGNED } from '../measures/rollup-keys.ts';
import { rollupValueOf } from '../rollups/cost-fact.table.ts';
import { MEASURE_COLUMNS, MEASURE_SUMS, type MeasureRow } from '../measures/measure.ts';
import {
  readFromFacts,
  readWindow,
  valueColumn,
  type WindowQuery,
  type WindowStatement,
} from '../rollups/read-window.query.ts';

export interface ValueCostRow extends MeasureRow {
  readonly value: string;
  /** Cost of all groups, including those past the limit. */
  readonly populationCost: string;
  /** Number of all groups. */
  readonly populationGroups: string;
}

function costsByValue(key: string, parameters: readonly unknown[]): WindowStatement {
  return {
    columns: ['value', ...MEASURE_COLUMNS],
    text: (rows, parameter) => `
      select *, sum(total_cost) over () as population_cost, count(*) over () as population_groups
      from (
        ${sumsByShownValue(key, `select value, ${MEASURE_SUMS} from ${rows} as part group by value`)}
      ) as shown
      order by total_cost desc, value collate "C" limit ${parameter(0)}::bigint`,
    parameters,
    order: 'total_cost desc, value collate "C"',
  };
}

/** Several rolled-up values may be displayed alike. For most keys the displayed value is the rolled-up value. */
function sumsByShownValue(key: string, sumsByValue: string): string {
  const shown = valueColumn(key);
  if (shown === 'value') return sumsByValue;
  return `select ${shown} as value, ${MEASURE_SUMS} from (${sumsByValue}) as grouped group by 1`;
}

/** Costs by value of a key, costliest first: at most `limit` groups, or all if it is null. */
export function readValueCosts(tx: Transaction, query: WindowQuery, limit: number | null): Promise<ValueCostRow[]> {
  return readWindow<ValueCostRow>(tx, query, costsByValue(query.key, [limit]));
}

/** Costs by value of events with a given value of another key; costliest first. */
export function readFilteredValueCosts(
  tx: Transaction,
  query: WindowQuery,
  limit: number,
  filter: { readonly key: string; readonly value: string },
): Promise<ValueCostRow[]> {
  const filtered = `(select ${valueColumn(filter.key)} from (select ${rollupValueOf('$6')} as value) as filtered) = $7`;
  return readFromFacts<ValueCostRow>(
    tx,
    query,
    costsByValue(query.key, [limit, rollupKeyOf(filter.key), filter.value]),
    filtered,
  );
}

/** Values that occur in events, sorted by code point. */
export async function readValues(tx: Transaction, query: WindowQuery): Promise<string[]> {
  const rows = await readWindow<{ value: string }>(tx, query, {
    columns: ['value'],
    text: (rows, parameter) => `
      select distinct ${valueColumn(query.key)} as value from (select distinct value from ${rows} as part) as grouped
      where value <> ${parameter(0)}`,
    parameters: [UNASSIGNED],
    order: 'value collate "C"',
  });
  return rows.map(({ value }) => value);
}
