/** Retires the rollup of a pair of keys. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { pairKey } from '../measures/rollup-keys.ts';
import { retireKey } from '../rollups/rollup-key.table.ts';
import type { CostPair } from '../resolvers.generated.ts';
import { listPairs, toCostPairView } from './cost-pairs.query.ts';

/** Costs by both keys stay exact, but are added up from facts. Fails with `NOT_FOUND` for an unregistered pair. */
export async function retireCostPair(
  context: SubgraphContext,
  [one = '', other = '']: readonly string[],
): Promise<CostPair> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const key = pairKey(one, other);
    const known = await listPairs(tx, organizationId);
    if (!known.some((pair) => pair.key === key)) fail('NOT_FOUND', 'Unknown pair of keys');
    await retireKey(tx, organizationId, key);
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'cost_pair.retired',
      ...actorOf(context.principal),
      subjectId: [one, other].join(' and '),
      detail: null,
    });
    return toCostPairView({ key, state: 'retired' });
  });
}
