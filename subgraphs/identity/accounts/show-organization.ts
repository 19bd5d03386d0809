/** What may be shown of an organization. */
import type { Organization } from './organization.table.ts';

export type ShownOrganization = ReturnType<typeof showOrganization>;

export function showOrganization({ organizationId, name, createdAt }: Pick<Organization, 'organizationId' | 'name' | 'createdAt'>) {
  return { id: organizationId, name, createdAt };
}
