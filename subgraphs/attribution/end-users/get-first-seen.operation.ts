/** `EndUser.firstSeenAt`. */
import { endUserId } from '#kernel/end-user-id.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { findEndUser } from './end-user.table.ts';

/** Null if no event has named the end user. */
export async function getFirstSeen(context: SubgraphContext, externalId: string): Promise<string | null> {
  const organizationId = organizationOf(context);
  const found = await context.database.find(organizationId, (tx) =>
    findEndUser(tx, organizationId, endUserId(organizationId, externalId)),
  );
  return found?.firstSeenAt ?? null;
}
