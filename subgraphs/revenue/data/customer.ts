/** The processor's customers, and whom each of them is among the caller's end users (decisions.md D42). */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const CustomerTable = defineEntity({
  name: 'Customer',
  tableName: 'customer',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** The processor's id. */
    id: p.text().primary(),
    name: p.text().nullable(),
    /** What the customer's metadata says, under the connection's key. */
    metadataExternalId: p.text().nullable(),
    /** Set by a person; wins over the metadata and is never touched by a sync. */
    linkedExternalId: p.text().nullable(),
    /** No longer at the processor: nothing about it will change by a sync any more. */
    deleted: p.boolean(),
    createdAt: p.datetime(3).nullable(),
    syncedAt: p.datetime(3),
  },
});

export type Customer = InferEntity<typeof CustomerTable>;
