/** What may be shown of an organization. */
import type { Organization } from './organization.table.ts';

export type OrganizationView = ReturnType<typeof toOrganizationView>;

export function toOrganizationView({
  organizationId,
  name,
  createdAt,
}: Pick<Organization, 'organizationId' | 'name' | 'createdAt'>) {
  return { id: organizationId, name, createdAt };
}
