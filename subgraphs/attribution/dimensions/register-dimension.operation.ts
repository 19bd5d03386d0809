/**
 * Registers a metadata key as a dimension. Reads are exact at once; they become fast when the background job has caught
 * up.
 */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { DIMENSIONS_MAX } from '../config.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { countOtherDimensions, saveDimension } from './dimension.table.ts';
import { resumeBackfills } from '../rollups/upkeep/backfill.step.ts';
import { readKeyStates, wantKey } from '../rollups/rollup-key.table.ts';
import type { Dimension } from '../resolvers.generated.ts';
import { checkDimensionKey, checkDimensionLabel } from './check-dimension.ts';
import { dimensionAnswer } from './dimension-answer.ts';
import { rollupKeyOf } from '../measures/rollup-keys.ts';

/**
 * Idempotent. Registering an `unbounded` key again retries it. Fails with `VALIDATION_ERROR` for invalid input, or if
 * too many dimensions are in use: every fact is rolled up for each of them.
 */
export async function registerDimension(
  context: SubgraphContext,
  key: string,
  label: string | null,
): Promise<Dimension> {
  checkDimensionKey(key);
  if (label !== null) checkDimensionLabel(label);
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    if ((await countOtherDimensions(tx, organizationId, key)) >= DIMENSIONS_MAX) {
      fail(
        'VALIDATION_ERROR',
        `An organization can have at most ${DIMENSIONS_MAX} dimensions in use: retire one first`,
      );
    }
    const at = now();
    const dimension = await saveDimension(tx, { organizationId, key, label, at });
    await wantKey(tx, organizationId, rollupKeyOf(key));
    await resumeBackfills(tx, organizationId, rollupKeyOf(key));
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'dimension.registered',
      ...actorOf(context.principal),
      subjectId: key,
      detail: dimension.label,
    });
    return dimensionAnswer(dimension, await readKeyStates(tx, organizationId, [rollupKeyOf(key)]));
  });
}
