/**
 * Returns the role of an account user, for subgraphs that check whether something that a person set up, such as a
 * scheduled export, may continue.
 */
import { isUuid } from '#kernel/uuid.ts';
import { enumValue } from '#kernel/enum-value.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { findAccountUser } from '../account-user.table.ts';
import type { AccountRole } from '../../resolvers.generated.ts';

/** Null if the organization has no such account user, or it is disabled. */
export async function getAccountUserRole(context: SubgraphContext, id: string): Promise<AccountRole | null> {
  const organizationId = organizationOf(context);
  if (!isUuid(id)) return null;
  const user = await context.database.write(organizationId, (tx) => findAccountUser(tx, organizationId, id));
  return user === null || user.disabledAt !== null ? null : enumValue(user.role);
}
