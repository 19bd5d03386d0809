/** Releases a hold for a call that was not made, or that cost nothing. */
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { releasePeriods } from '../allowances/allowance-period.table.ts';
import type { Hold } from '../resolvers.generated.ts';
import { closeReleased } from './hold.table.ts';
import { findHold } from './hold-page.query.ts';
import { toHoldView } from './hold-view.ts';

/**
 * Returns the hold in its resulting state: a hold that was already settled or has expired keeps its state. Fails with
 * `NOT_FOUND`, including for a test key: holds are live.
 */
export async function releaseHold(context: SubgraphContext, id: string): Promise<Hold> {
  const organizationId = organizationOf(context);
  if (!isUuid(id) || context.principal.environment === 'test') fail('NOT_FOUND', 'Unknown hold');
  const hold = await context.database.write(organizationId, async (tx) => {
    const { changes } = await closeReleased(tx, organizationId, id);
    await releasePeriods(tx, organizationId, changes);
    return findHold(tx, organizationId, id);
  });
  return toHoldView(hold ?? fail('NOT_FOUND', 'Unknown hold'));
}
