/** Builds the by-model result from its rows, in their order. */
import type { ModelCostRow } from './model-costs.query.ts';
import type { ModelCosts } from '../resolvers.generated.ts';
import { figures, totalOf } from './figures.ts';

export function modelCosts(rows: readonly ModelCostRow[]): ModelCosts {
  const totalCost = totalOf(rows);
  return {
    items: rows.map((row) => ({
      modelSlug: row.modelSlug,
      providerSlug: row.providerSlug,
      ...figures(row, totalCost),
    })),
    totalCost,
  };
}
