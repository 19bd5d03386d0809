/** Lists the organization's account users by e-mail address. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { type ListedAccountUser, listAccountUsers as list } from '../account-user.table.ts';

export function listAccountUsers(context: SubgraphContext): Promise<ListedAccountUser[]> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, (tx) => list(tx, { organizationId }));
}
