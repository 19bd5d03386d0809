/** Returns the caller's organization. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { findOrganization } from './organization.table.ts';
import { type OrganizationView, toOrganizationView } from './organization-view.ts';

/** Fails with `NOT_FOUND` if it was deleted. */
export async function getOrganization(context: SubgraphContext): Promise<OrganizationView> {
  const organizationId = organizationOf(context);
  const organization = await context.database.write(organizationId, (tx) => findOrganization(tx, organizationId));
  return toOrganizationView(organization ?? fail('NOT_FOUND', 'There is no such organization'));
}
