/** Takes a dimension out of use. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { findDimension } from './dimension.table.ts';
import { retireKey, retirePairsOf } from '../rollups/rollup-key.table.ts';
import type { Dimension } from '../resolvers.generated.ts';
import { dimensionAnswer } from './dimension-answer.ts';
import { isBuiltIn } from '../measures/rollup-keys.ts';

/**
 * A built-in key stays rolled up. Any other key's rollup is retired, with the pairs that contain the key. Fails with
 * `NOT_FOUND` for a key that is not in use.
 */
export async function retireDimension(context: SubgraphContext, key: string): Promise<Dimension> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const dimension = (await findDimension(tx, organizationId, key)) ?? fail('NOT_FOUND', 'Unknown dimension');
    const at = now();
    dimension.retiredAt = at;
    if (!isBuiltIn(key)) {
      await retireKey(tx, organizationId, key);
      await retirePairsOf(tx, organizationId, key);
    }
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'dimension.retired',
      ...actorOf(context.principal),
      subjectId: key,
      detail: dimension.label,
    });
    return dimensionAnswer(dimension, new Map());
  });
}
