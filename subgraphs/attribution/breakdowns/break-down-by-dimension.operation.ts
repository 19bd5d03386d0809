/** Costs by the values of a registered dimension. All values are returned, so the items add up to the total. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { isDimension } from '../dimensions/dimension.table.ts';
import { readValueCosts } from './value-costs.query.ts';
import type { DimensionCosts } from '../resolvers.generated.ts';
import { figures, totalOf } from './figures.ts';
import type { Window } from '#kernel/time/window.ts';

/** Fails with `NOT_FOUND` for an unregistered key. */
export async function breakDownByDimension(
  context: SubgraphContext,
  window: Window,
  key: string,
): Promise<DimensionCosts> {
  const organizationId = organizationOf(context);
  const rows = await context.database.snapshot(organizationId, async (tx) => {
    const [isKnown, costs] = await Promise.all([
      isDimension(tx, organizationId, key),
      readValueCosts(tx, { organizationId, key, window }, null),
    ]);
    return isKnown ? costs : fail('NOT_FOUND', 'Unknown dimension_key');
  });
  const totalCost = totalOf(rows);
  return { items: rows.map((row) => ({ dimensionValue: row.value, ...figures(row, totalCost) })), totalCost };
}
