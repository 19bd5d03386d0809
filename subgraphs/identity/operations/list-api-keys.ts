/** The organization's API keys: owners and admins see all, a member its own. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { type ApiKey, listApiKeys as findApiKeys } from '../data/api-key.ts';

export async function listApiKeys(context: SubgraphContext): Promise<ApiKey[]> {
  const organizationId = organizationOf(context);
  const { grants, accountUserId } = context.principal;
  const seesAll = ['operator', 'owner', 'admin'].some((grant) => grants.includes(grant));
  return context.database.forOrganization(organizationId, (em) => findApiKeys(em, organizationId, seesAll ? null : accountUserId ?? ''));
}
