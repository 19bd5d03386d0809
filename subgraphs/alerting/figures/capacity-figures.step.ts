/** How much of each fixed cost's capacity was used in a window. */
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import type { ReadGraph } from './graph-reader.step.ts';

export const CAPACITIES = graphql(`query AlertCapacities($start: Instant!, $end: Instant!) {
  fixedCosts { key name utilisation(start: $start, end: $end) { days bought idle percent capacity } }
}`);

type Capacity = DataOf<'AlertCapacities'>['fixedCosts'][number];

/** Fixed costs without a capacity are left out. */
export async function readCapacities(read: ReadGraph, window: VariablesOf<'AlertCapacities'>): Promise<Capacity[]> {
  return (await read(CAPACITIES, window)).fixedCosts.filter(({ utilisation }) => utilisation.capacity !== null);
}
