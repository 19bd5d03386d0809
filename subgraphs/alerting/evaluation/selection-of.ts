/** A rule's filter and grouping in the form that attribution expects. */
import type { CostSelection } from '../figures/cost-figures.step.ts';
import type { RuleParameters } from '../rules/rule-parameters.ts';

export function selectionOf({ filter, groupBy, groupByDimension }: RuleParameters): CostSelection {
  return {
    filter: filter
      ? {
          endUser: filter.endUser ?? null,
          agent: filter.agent ?? null,
          model: filter.model ?? null,
          provider: filter.provider ?? null,
          dimensions: filter.dimensions ? [...filter.dimensions] : null,
        }
      : null,
    by: groupBy ?? null,
    dimension: groupByDimension ?? null,
  };
}
