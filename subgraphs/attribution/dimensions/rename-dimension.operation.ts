/** Changes the label of a dimension. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { findDimension } from './dimension.table.ts';
import { readKeyStates } from '../rollups/rollup-key.table.ts';
import type { Dimension } from '../resolvers.generated.ts';
import { checkDimensionLabel } from './check-dimension.ts';
import { dimensionAnswer } from './dimension-answer.ts';
import { rollupKeyOf } from '../measures/rollup-keys.ts';

/** Fails with `NOT_FOUND` for a key that is not in use. */
export async function renameDimension(context: SubgraphContext, key: string, label: string): Promise<Dimension> {
  checkDimensionLabel(label);
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const dimension = (await findDimension(tx, organizationId, key)) ?? fail('NOT_FOUND', 'Unknown dimension');
    dimension.label = label;
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'dimension.renamed',
      ...actorOf(context.principal),
      subjectId: key,
      detail: label,
    });
    return dimensionAnswer(dimension, await readKeyStates(tx, organizationId, [rollupKeyOf(key)]));
  });
}
