/** A subscription of the processor, and the end user behind it (decision 9, D35). */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { endUserOfSubscription } from './subscription.table.ts';

export async function findSubscription(
  context: SubgraphContext,
  id: string,
): Promise<{ id: string; endUser: { externalId: string } | null }> {
  const organizationId = organizationOf(context);
  const externalId = id.includes('\0')
    ? undefined
    : await context.database.read(organizationId, (tx) => endUserOfSubscription(tx, organizationId, id));
  if (externalId === undefined) return fail('NOT_FOUND', 'Unknown subscription_id');
  return { id, endUser: externalId === null ? null : { externalId } };
}
