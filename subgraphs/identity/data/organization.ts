/** The tenants. The table is identity's own: it has no tenant above it. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const OrganizationTable = defineEntity({
  name: 'Organization',
  tableName: 'organization',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    name: p.string().length(255),
    createdAt: p.datetime(3),
  },
});

export type Organization = InferEntity<typeof OrganizationTable>;
