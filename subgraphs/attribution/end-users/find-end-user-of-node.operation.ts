/** Finds an end user by the UUID of its global id, for `Query.node`. */
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requireGrant } from '#platform/subgraph/require-grant.ts';
import { fail } from '#kernel/errors.ts';
import { findEndUser } from './end-user.table.ts';

/** Fails with `NOT_FOUND` if no event has named the end user. */
export async function findEndUserOfNode(context: SubgraphContext, id: string): Promise<{ externalId: string }> {
  requireGrant(context, ['costs:read']);
  const organizationId = organizationOf(context);
  const found = isUuid(id)
    ? await context.database.find(organizationId, (tx) => findEndUser(tx, organizationId, id))
    : null;
  return found ?? fail('NOT_FOUND', 'Unknown end user');
}
