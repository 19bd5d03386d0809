/** Requests a rollup of costs by two keys at once. Large windows by both keys are then as fast as by a single key. */
import { lockOrganization } from '#platform/database/locks.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { COST_PAIRS_MAX } from '../config.ts';
import { isBuiltIn, MODEL_KEY, pairKey, pairOf, PROVIDER_KEY } from '../measures/rollup-keys.ts';
import { isDimension } from '../dimensions/dimension.table.ts';
import { readKeyStates, wantKey } from '../rollups/rollup-key.table.ts';
import { resumeBackfills } from '../rollups/upkeep/backfill.step.ts';
import type { CostPair } from '../resolvers.generated.ts';
import { listPairs, toCostPairView } from './cost-pairs.query.ts';

/**
 * Idempotent. Fails with `VALIDATION_ERROR` for two equal keys or too many pairs, and with `NOT_FOUND` for an unknown
 * key.
 */
export async function registerCostPair(context: SubgraphContext, keys: readonly string[]): Promise<CostPair> {
  const organizationId = organizationOf(context);
  const [one, other, ...more] = keys;
  if (one === undefined || other === undefined || more.length > 0 || one === other)
    fail('VALIDATION_ERROR', 'keys must be two different keys');
  if (keys.includes(PROVIDER_KEY))
    fail('VALIDATION_ERROR', `A pair with ${MODEL_KEY} already includes the ${PROVIDER_KEY}`);
  return context.database.write(organizationId, async (tx) => {
    for (const key of keys) {
      if (!isBuiltIn(key) && !(await isDimension(tx, organizationId, key)))
        fail('NOT_FOUND', `Dimension ${JSON.stringify(key)} is not registered`);
    }
    const key = pairKey(one, other);
    await lockOrganization(tx, 'dimensions', organizationId);
    const known = await listPairs(tx, organizationId);
    if (known.length >= COST_PAIRS_MAX && !known.some((pair) => pair.key === key))
      fail('VALIDATION_ERROR', `An organization can have at most ${COST_PAIRS_MAX} pairs: retire one first`);
    await wantKey(tx, organizationId, key);
    await resumeBackfills(tx, organizationId, key);
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'cost_pair.registered',
      ...actorOf(context.principal),
      subjectId: (pairOf(key) ?? []).join(' and '),
      detail: null,
    });
    const states = await readKeyStates(tx, organizationId, [key]);
    return toCostPairView({ key, state: states.get(key) ?? 'clearing' });
  });
}
