/** Finds an end user by the `user_id` of usage events, or by the service's own UUID. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { isUuid } from '#kernel/uuid.ts';
import { fail } from '#kernel/errors.ts';
import type { QueryEndUserArgs } from '../resolvers.generated.ts';
import { findEndUser } from './end-user.table.ts';

/**
 * Fails with `VALIDATION_ERROR` unless exactly one of external id and UUID is given, and with `NOT_FOUND` if no event
 * has named the end user.
 */
export async function getEndUser(
  context: SubgraphContext,
  { externalId, endUserId: id }: Partial<QueryEndUserArgs>,
): Promise<{ externalId: string }> {
  const organizationId = organizationOf(context);
  if (typeof externalId === 'string' && typeof id === 'string')
    fail('VALIDATION_ERROR', 'Give either externalId or endUserId, not both');
  const uuid = typeof externalId === 'string' ? endUserId(organizationId, externalId) : id;
  if (typeof uuid !== 'string') fail('VALIDATION_ERROR', 'externalId or endUserId is required');
  const found = isUuid(uuid)
    ? await context.database.find(organizationId, (tx) => findEndUser(tx, organizationId, uuid))
    : null;
  return found ?? fail('NOT_FOUND', 'Unknown end user');
}
