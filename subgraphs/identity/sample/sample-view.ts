/** Sample data as the schema defines it. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Organization } from '../accounts/organization.table.ts';

export interface SampleView {
  readonly organizationId: OrganizationId;
  readonly createdAt: Date;
  /** True if the caller's session is switched to it. */
  readonly isOpen: boolean;
}

export function toSampleView(
  sample: Pick<Organization, 'organizationId' | 'createdAt'> | null,
  isOpen: boolean,
): SampleView | null {
  return sample && { organizationId: sample.organizationId, createdAt: sample.createdAt, isOpen };
}
