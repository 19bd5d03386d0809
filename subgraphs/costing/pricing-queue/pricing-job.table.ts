/**
 * The queue: one row for each ingested batch, deleted in the transaction that prices it. Events in it are `pending`.
 */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { announceAfterCommit } from '#platform/database/announce.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { LONGEST_PAUSE_MILLISECONDS } from '../config.ts';

export const PricingJobTable = defineEntity({
  name: 'PricingJob',
  tableName: 'pricing_job',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    eventIds: p.array().columnType('uuid[]'),
    /** Size of the metadata of all its events. */
    bytes: p.integer().default(0),
    /** Number of failed attempts. Only for single events: a failing job is split first. */
    attempt: p.integer(),
    /** Priced apart from other jobs, after a failure. */
    alone: p.boolean().default(false),
    nextAttemptAt: p.datetime(3),
    lastError: p.text().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'pricing_job_turn_index', properties: ['organizationId', 'nextAttemptAt'] }],
});

/** PostgreSQL channel that announces new jobs. */
export const PRICING_CHANNEL = 'pricing_job';

/**
 * The queue's clock is the database's, shared by all writers and pricing workers. Truncated, not rounded, to the
 * columns' precision, so that a job is due in the next transaction.
 */
export const DATABASE_TIME = "date_trunc('milliseconds', now())";

/**
 * True if a job is due. A pause longer than any rule allows was written by a clock that was ahead: such a job is due as
 * well.
 */
export const IS_DUE = `(j.next_attempt_at <= now() or j.next_attempt_at > now() + interval '${LONGEST_PAUSE_MILLISECONDS} milliseconds')`;

const QUEUE_EVENTS = statement<
  { bytes: number },
  { readonly organizationId: OrganizationId; readonly eventIds: readonly EventId[] }
>(`select coalesce(sum(octet_length(metadata::text)), 0)::float8 as bytes from usage_event
     where organization_id = :organizationId and id = any(:eventIds::uuid[])`);

/** Queues events for pricing: they are `pending` until a job takes this row. */
export async function queueEvents(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  job: { id: string; eventIds: readonly EventId[] },
): Promise<void> {
  const { bytes } = await tx.one(QUEUE_EVENTS, { organizationId, eventIds: job.eventIds });
  await insertJob(tx, organizationId, { ...job, bytes });
}

const INSERT_JOB = statement<
  object,
  {
    readonly organizationId: OrganizationId;
    readonly id: string;
    readonly eventIds: readonly EventId[];
    readonly bytes: number;
  }
>(`
    insert into pricing_job (organization_id, id, event_ids, bytes, attempt, next_attempt_at, created_at)
    values (:organizationId, :id, :eventIds::uuid[], :bytes, 0, ${DATABASE_TIME}, ${DATABASE_TIME})`);

/** `bytes`: size of the metadata. */
export async function insertJob(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { id, eventIds, bytes }: { id: string; eventIds: readonly EventId[]; bytes: number },
): Promise<void> {
  await tx.run(INSERT_JOB, { organizationId, id, eventIds, bytes });
  announceAfterCommit(tx, PRICING_CHANNEL);
}

/** A job held by this transaction. */
export interface ClaimedJob {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly eventIds: readonly EventId[];
  readonly bytes: number;
  readonly attempt: number;
  readonly alone: boolean;
  readonly createdAt: Date;
}

/** Locks jobs that still exist, to record their outcome. */
export async function lockPricingJobs(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<ClaimedJob[]> {
  const rows = await tx.all(LOCK_PRICING_JOBS, { organizationId, ids });
  return rows.map(toClaimedJob);
}

const DELETE_PRICING_JOBS = statement<
  object,
  { readonly organizationId: OrganizationId; readonly ids: readonly string[] }
>('delete from pricing_job where organization_id = :organizationId and id = any(:ids::uuid[])');

export async function deletePricingJobs(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<void> {
  await tx.run(DELETE_PRICING_JOBS, { organizationId, ids });
}

const DELETE_PRICING_JOBS_OF = statement<
  object,
  { readonly organizationIds: readonly OrganizationId[]; readonly ids: readonly string[] }
>(`
    delete from pricing_job j using unnest(:organizationIds::uuid[], :ids::uuid[]) as done (organization_id, id)
    where j.organization_id = done.organization_id and j.id = done.id`);

/** Deletes jobs of one organization or of several, in one statement. */
export async function deletePricingJobsOf(tx: WriteTransaction, jobs: readonly ClaimedJob[]): Promise<void> {
  const [first] = jobs;
  if (!first) return;
  if (jobs.every(({ organizationId }) => organizationId === first.organizationId))
    return deletePricingJobs(
      tx,
      first.organizationId,
      jobs.map(({ id }) => id),
    );
  await tx.run(DELETE_PRICING_JOBS_OF, {
    organizationIds: jobs.map(({ organizationId }) => organizationId),
    ids: jobs.map(({ id }) => id),
  });
}

export interface NewPricingJob {
  readonly eventIds: readonly EventId[];
  readonly bytes: number;
  readonly attempt: number;
  readonly alone: boolean;
  /** Time until the job may be claimed. */
  readonly pauseMilliseconds: number;
  readonly lastError: string | null;
  /** Null: now. */
  readonly createdAt: Date | null;
}

const INSERT_PRICING_JOB = statement<
  object,
  NewPricingJob & { readonly organizationId: OrganizationId; readonly id: string }
>(`
  insert into pricing_job (organization_id, id, event_ids, bytes, attempt, alone, next_attempt_at, last_error, created_at)
  values (:organizationId, :id, :eventIds::uuid[], :bytes, :attempt, :alone,
    ${DATABASE_TIME} + :pauseMilliseconds * interval '1 millisecond', :lastError, coalesce(:createdAt, ${DATABASE_TIME}))`);

export async function insertPricingJobs(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  jobs: readonly NewPricingJob[],
): Promise<void> {
  const ids = uuidsV7(jobs.length);
  for (const [index, job] of jobs.entries())
    await tx.run(INSERT_PRICING_JOB, { organizationId, id: ids[index]!, ...job });
  if (jobs.length > 0) announceAfterCommit(tx, PRICING_CHANNEL);
}

/** Columns of `pricing_job` (as `j`) for `toClaimedJob`. */
export const JOB_COLUMNS = `
  j.organization_id, j.id, array_to_json(j.event_ids) as event_ids, j.bytes, j.attempt, j.alone, j.created_at::text`;

const LOCK_PRICING_JOBS = statement<
  JobRow,
  { readonly organizationId: OrganizationId; readonly ids: readonly string[] }
>(`
    select ${JOB_COLUMNS} from pricing_job j where j.organization_id = :organizationId and j.id = any(:ids::uuid[]) for update of j skip locked`);

export type JobRow = {
  organizationId: OrganizationId;
  id: string;
  eventIds: EventId[];
  bytes: number;
  attempt: number;
  alone: boolean;
  createdAt: string;
};

export function toClaimedJob(row: JobRow): ClaimedJob {
  return {
    organizationId: row.organizationId,
    id: row.id,
    eventIds: row.eventIds,
    bytes: row.bytes,
    attempt: row.attempt,
    alone: row.alone,
    createdAt: new Date(row.createdAt),
  };
}

const READ_QUEUE_DEPTH = statement<
  { events: number; oldestSeconds: number },
  { readonly organizationId: OrganizationId | null }
>(`
    select coalesce(sum(cardinality(event_ids)), 0)::float8 as events,
      greatest(coalesce(extract(epoch from now() - min(created_at)), 0), 0)::float8 as oldest_seconds
    from pricing_job where :organizationId::uuid is null or organization_id = :organizationId`);

/** Number of queued events and age of the oldest job, for one organization or all. */
export async function readQueueDepth(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
): Promise<{ events: number; oldestSeconds: number }> {
  return tx.one(READ_QUEUE_DEPTH, { organizationId });
}
