/** What may be shown of an organization. */
import type { Organization } from './organization.table.ts';

export type OrganizationView = ReturnType<typeof toOrganizationView>;

export function toOrganizationView({
  organizationId,
  name,
  createdAt,
  deletedAt = null,
}: Pick<Organization, 'organizationId' | 'name' | 'createdAt'> & { readonly deletedAt?: Date | null | undefined }) {
  return { id: organizationId, name, createdAt, deletedAt };
}
