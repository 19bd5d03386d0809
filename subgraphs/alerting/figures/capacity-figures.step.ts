/** How much of each fixed cost's capacity was used in a window. */
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import type { ReadGraph } from './graph-reader.step.ts';

export const CAPACITIES = graphql(`query AlertCapacities($start: Instant!, $end: Instant!) {
  fixedCosts {
    key name capacityPerDay allocatedUntil periods { from until }
    utilisation(start: $start, end: $end) { days bought idle percent capacity }
  }
}`);

type Capacity = DataOf<'AlertCapacities'>['fixedCosts'][number];

/**
 * Fixed costs without a capacity are left out. Null if one of the others is paid on `lastDay`, the last day of the
 * window, but not yet allocated to it.
 */
export async function readCapacities(
  read: ReadGraph,
  window: VariablesOf<'AlertCapacities'>,
  lastDay: string,
): Promise<Capacity[] | null> {
  const { fixedCosts } = await read(CAPACITIES, window);
  if (fixedCosts.some((fixedCost) => isAwaited(fixedCost, lastDay))) return null;
  return fixedCosts.filter(({ utilisation }) => utilisation.capacity !== null);
}

function isAwaited({ capacityPerDay, allocatedUntil, periods }: Capacity, day: string): boolean {
  if (capacityPerDay === null || (allocatedUntil !== null && allocatedUntil > day)) return false;
  return periods.some(({ from, until }) => from <= day && (until === null || day < until));
}
