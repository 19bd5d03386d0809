/** The queue: one row for each ingested batch, deleted in the transaction that prices it. An event in it is `pending`. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const PricingJobTable = defineEntity({
  name: 'PricingJob',
  tableName: 'pricing_job',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    eventIds: p.array().columnType('uuid[]'),
    /** Tries that failed. Of one event only: a failing job is divided first. */
    attempt: p.integer(),
    /** Priced apart from other jobs, after a failure. */
    alone: p.boolean().default(false),
    nextAttemptAt: p.datetime(3),
    lastError: p.text().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'pricing_job_next_index', properties: ['nextAttemptAt'] }],
});

export type PricingJob = InferEntity<typeof PricingJobTable>;

/** PostgreSQL channel that announces new jobs. */
export const PRICING_CHANNEL = 'pricing_job';

/** Queues events for pricing: they are `pending` until a job takes this row. */
export async function queueEvents(em: EntityManager, organizationId: string, job: { id: string; eventIds: readonly string[]; at: Date }): Promise<void> {
  await query(em, `
    insert into pricing_job (organization_id, id, event_ids, attempt, next_attempt_at, created_at)
    values ($1, $2, $3::uuid[], 0, $4, $4)`, [organizationId, job.id, job.eventIds, job.at]);
}
