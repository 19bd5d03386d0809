/** The rate estimation table as it is answered: as a type of the graph, or in the contract's own words. */
import { type Money, plain } from '../../../kernel/money.ts';
import type { RateEstimate } from '../resolvers.generated.ts';
import type { EstimationRow } from './estimation-table.ts';

/** Rows are shown when they are asked for. */
export interface ShownRateEstimates {
  table(): RateEstimate[];
  list(): Record<string, string | null>[];
}

export function showRateEstimates(rows: readonly EstimationRow[]): ShownRateEstimates {
  return { table: () => rows.map(showRateEstimate), list: () => rows.map(listRateEstimate) };
}

function showRateEstimate({ modelSlug, input, output, cacheCreation, cacheRead, reasoning }: EstimationRow): RateEstimate {
  return {
    modelSlug, inputCostPerMillion: input, outputCostPerMillion: output,
    cacheCreationCostPerMillion: cacheCreation, cacheReadCostPerMillion: cacheRead, reasoningCostPerMillion: reasoning,
  };
}

/** An item of the contract's estimation table (api-specification.md, "Rate estimation table"). */
function listRateEstimate({ modelSlug, input, output, cacheCreation, cacheRead, reasoning }: EstimationRow): Record<string, string | null> {
  return {
    model_slug: modelSlug,
    input_cost_per_million: plain(input),
    output_cost_per_million: plain(output),
    cache_creation_cost_per_million: orNull(cacheCreation),
    cache_read_cost_per_million: orNull(cacheRead),
    reasoning_cost_per_million: orNull(reasoning),
  };
}

function orNull(rate: Money | null): string | null {
  return rate === null ? null : plain(rate);
}
