/** The queue: one row for each ingested batch, deleted in the transaction that prices it. An event in it is `pending`. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const PricingJobTable = defineEntity({
  name: 'PricingJob',
  tableName: 'pricing_job',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    eventIds: p.array().columnType('uuid[]'),
    attempt: p.integer(),
    nextAttemptAt: p.datetime(3),
    lastError: p.text().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'pricing_job_next_index', properties: ['nextAttemptAt'] }],
});

export type PricingJob = InferEntity<typeof PricingJobTable>;

/** PostgreSQL channel that announces new jobs. */
export const PRICING_CHANNEL = 'pricing_job';
