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
  return context.database.write(organizationId, async (tx) => {
    const dimensions = await listDimensions(tx, organizationId, includeRetired);
    const states = await readKeyStates(
      tx,
      organizationId,
      dimensions.map(({ key }) => rollupKeyOf(key)),
    );
    return dimensions.map((dimension) => dimensionAnswer(dimension, states));
  });
}
