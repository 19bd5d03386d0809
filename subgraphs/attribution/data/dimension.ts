/** Metadata keys that an organization has registered. How far a key's rollup is, is told by `rolled_key`. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const DimensionTable = defineEntity({
  name: 'Dimension',
  tableName: 'dimension',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    /** As in metadata: case-sensitive. */
    key: p.text().primary(),
    label: p.text(),
    registeredAt: p.datetime(3),
    /** Null while it is in use. */
    retiredAt: p.datetime(3).nullable(),
  },
});

export type Dimension = InferEntity<typeof DimensionTable>;
