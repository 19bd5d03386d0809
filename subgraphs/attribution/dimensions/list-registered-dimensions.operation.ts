/** The dimensions that an organization has registered. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { listDimensions } from './dimension.table.ts';
import { readKeyStates } from '../rollups/rollup-key.table.ts';
import type { Dimension } from '../resolvers.generated.ts';
import { dimensionAnswer } from './dimension-answer.ts';
import { rollupKeyOf } from '../measures/rollup-keys.ts';

export async function listRegisteredDimensions(
  context: SubgraphContext,
  includeRetired: boolean,
): Promise<Dimension[]> {
  const organizationId = organizationOf(context);
  return context.database.forOrganization(organizationId, async (em) => {
    const dimensions = await listDimensions(em, organizationId, includeRetired);
    const states = await readKeyStates(
      em,
      organizationId,
      dimensions.map(({ key }) => rollupKeyOf(key)),
    );
    return dimensions.map((dimension) => dimensionAnswer(dimension, states));
  });
}
