/** A page of costs by the groups of a selection, with the sums of all of them. */
import type { Transaction } from '../../../platform/database/sql.ts';
import type { ByTokens } from '../../../schema/token-classes.ts';
import { COST_COLUMNS, sumsOf, TOKEN_COLUMNS } from '../measures/measure.ts';
import { readSelected, type SelectionQuery } from './selected-rows.query.ts';

/** Tokens are there where they are asked for; null in the row that says only that the page is empty. */
export interface SelectedCostRow extends Partial<ByTokens<string | null>> {
  /** Values of the groups; null where there is none, and in the row that says only that the page is empty. */
  readonly one: string | null;
  readonly other: string | null;
  readonly totalCost: string | null;
  readonly eventCount: string | null;
  /** Of everything that was selected. */
  readonly populationCost: string;
  readonly populationEvents: string;
  readonly populationGroups: string;
}

/** Costliest first; at least one row, whose sums are those of the page's groups only where it has a cost. */
export function readSelectedCosts(
  tx: Transaction,
  input: SelectionQuery,
  page: { readonly limit: number; readonly offset: number },
  withTokens = false,
): Promise<SelectedCostRow[]> {
  const columns = withTokens ? [...COST_COLUMNS, ...TOKEN_COLUMNS] : COST_COLUMNS;
  return readSelected<SelectedCostRow>(tx, input, {
    text: (rows, parameter) => `
      with grouped as materialized (
        select one, other, ${sumsOf(columns)} from ${rows} as selected group by one, other
      ), population as (
        select coalesce(sum(total_cost), 0) as population_cost, coalesce(sum(event_count), 0) as population_events,
          count(*) as population_groups
        from grouped
      )
      select page.*, population.* from population left join (
        select * from grouped order by total_cost desc, one collate "C", other collate "C"
        limit ${parameter(0)}::bigint offset ${parameter(1)}::bigint
      ) as page on true`,
    parameters: [page.limit, page.offset],
    columns,
    isDated: false,
    order: 'total_cost desc nulls last, one collate "C", other collate "C"',
  });
}
