/** Repricings and their reverts: what was asked for and how far it has come. The differences themselves stand in the ledger. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const RepricingTable = defineEntity({
  name: 'Repricing',
  tableName: 'repricing',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    periodStart: p.datetime(6),
    periodEnd: p.datetime(6),
    model: p.text().nullable(),
    /** The repricing that this one takes back. */
    reverts: p.uuid().nullable(),
    /** The event done last, in order of time and id; null before the first. */
    doneTime: p.datetime(6).nullable(),
    doneEventId: p.uuid().nullable(),
    startedAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
  },
});

export type Repricing = InferEntity<typeof RepricingTable>;
