/** The public fields of an organization. */
import type { Organization } from './organization.table.ts';

export type OrganizationView = ReturnType<typeof toOrganizationView>;

export function toOrganizationView({
  organizationId,
  name,
  createdAt,
  deletedAt,
  secondFactorRequiredAt,
  sampleOf,
  fiscalYearStart,
}: Pick<Organization, 'organizationId' | 'name' | 'createdAt'> & Partial<Organization>) {
  return {
    id: organizationId,
    name,
    createdAt,
    deletedAt: deletedAt ?? null,
    sampleOf: sampleOf ?? null,
    requiresSecondFactor: secondFactorRequiredAt != null,
    fiscalYearStart: fiscalYearStart ?? 1,
  };
}
