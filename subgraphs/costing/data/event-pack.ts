/** Packs of events that an organization has bought. Changed only under the lock of its credit account. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const EventPackTable = defineEntity({
  name: 'EventPack',
  tableName: 'event_pack',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    size: p.bigint(),
    left: p.bigint(),
    addedAt: p.datetime(3),
    /** From this instant on it serves no more. */
    expiresAt: p.datetime(3),
  },
});

export type EventPackRow = InferEntity<typeof EventPackTable>;
