/** Every organization, for operators. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { listAllOrganizations } from './organization.table.ts';
import { type ShownOrganization, showOrganization } from './show-organization.ts';

export async function listOrganizations(context: SubgraphContext): Promise<ShownOrganization[]> {
  return (await context.database.acrossOrganizations(listAllOrganizations)).map(showOrganization);
}
