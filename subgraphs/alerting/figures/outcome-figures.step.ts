/** Total cost of the outcomes in a window. */
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import type { ReadGraph } from './graph-reader.step.ts';

export const OUTCOME_COSTS =
  graphql(`query AlertOutcomeCosts($start: Instant!, $end: Instant!, $filter: OutcomeFilter!) {
  window(start: $start, end: $end) {
    outcomes(filter: $filter, first: 1) { total { count succeeded cost failedCost costPerSuccess } }
  }
}`);

export type OutcomeFilter = VariablesOf<'AlertOutcomeCosts'>['filter'];
export type OutcomeCosts = DataOf<'AlertOutcomeCosts'>['window']['outcomes']['total'];

export async function readOutcomeCosts(
  read: ReadGraph,
  variables: VariablesOf<'AlertOutcomeCosts'>,
): Promise<OutcomeCosts> {
  return (await read(OUTCOME_COSTS, variables)).window.outcomes.total;
}
