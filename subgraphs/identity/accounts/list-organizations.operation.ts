/** Lists all organizations, for operators. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { listAllOrganizations } from './organization.table.ts';
import { type OrganizationView, toOrganizationView } from './organization-view.ts';

export async function listOrganizations(context: SubgraphContext): Promise<OrganizationView[]> {
  return (await context.database.system(listAllOrganizations)).map(toOrganizationView);
}
