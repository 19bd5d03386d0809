/** Every organization, for operators. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { listAllOrganizations, type Organization } from '../data/organization.ts';

export function listOrganizations(context: SubgraphContext): Promise<Organization[]> {
  return context.database.acrossOrganizations(listAllOrganizations);
}
