/** A page of costs by the groups of a selection, with the totals of all groups. */
import type { Transaction } from '#platform/database/transaction.ts';
import type { ByTokens } from '#schema/token-classes.ts';
import { COST_COLUMNS, sumsOf, TOKEN_COLUMNS } from '../measures/measure.ts';
import { readSelected, type SelectionQuery } from './selected-rows.query.ts';

/** Tokens are present if requested; null in the row that represents an empty page. */
export interface SelectedCostRow extends Partial<ByTokens<string | null>> {
  /** Values of the groups. Null for a missing group, and in the row that represents an empty page. */
  readonly one: string | null;
  readonly other: string | null;
  readonly totalCost: string | null;
  readonly eventCount: string | null;
  /** Totals of everything selected. */
  readonly populationCost: string;
  readonly populationEvents: string;
  readonly populationGroups: string;
}

/** Costliest first. Always at least one row: for an empty page, a row without a cost that holds only the totals. */
export function readSelectedCosts(
  tx: Transaction,
  input: SelectionQuery,
  page: { readonly limit: number; readonly offset: number },
  withTokens = false,
): Promise<SelectedCostRow[]> {
  const columns = withTokens ? [...COST_COLUMNS, ...TOKEN_COLUMNS] : COST_COLUMNS;
  return readSelected<SelectedCostRow>(tx, input, {
    text: (rows, parameter, isGrouped) => `
      with grouped as materialized (
        select one, other, ${isGrouped ? columns.join(', ') : sumsOf(columns)} from ${rows} as selected ${isGrouped ? '' : 'group by one, other'}
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
