/** Finds an end user by the `user_id` of usage events. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { endUserId } from '../../../kernel/end-user-id.ts';
import { fail } from '../../../schema/errors.ts';
import { findEndUser } from './end-user.table.ts';

/** Fails with `NOT_FOUND` when no event has named it. */
export async function findEndUserByExternalId(
  context: SubgraphContext,
  externalId: string,
): Promise<{ externalId: string }> {
  const organizationId = organizationOf(context);
  const id = endUserId(organizationId, externalId);
  const found = await context.database.read(organizationId, (tx) => findEndUser(tx, organizationId, id));
  return found ?? fail('NOT_FOUND', 'Unknown end user');
}
