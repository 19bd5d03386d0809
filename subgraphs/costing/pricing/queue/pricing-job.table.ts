/** The queue: one row for each ingested batch, deleted in the transaction that prices it. An event in it is `pending`. */
import { defineEntity, p } from '@mikro-orm/core';
import { announceAfterCommit } from '../../../../platform/database/announce.ts';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { query, queryOne } from '../../../../platform/database/sql.ts';
import { uuidsV7 } from '../../../../platform/uuid-v7.ts';
import { tenantTable } from '../../../../platform/database/tenant-table.ts';
import { LONGEST_PAUSE_MILLISECONDS } from '../../config.ts';

export const PricingJobTable = defineEntity({
  name: 'PricingJob',
  tableName: 'pricing_job',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    eventIds: p.array().columnType('uuid[]'),
    /** Of metadata, of all its events. */
    bytes: p.integer().default(0),
    /** Tries that failed. Of one event only: a failing job is divided first. */
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
 * The clock of the queue: that of the database, which is one for all who send and all who price. Cut, not rounded, to what the
 * columns keep: a job is due in the next transaction.
 */
export const DATABASE_TIME = "date_trunc('milliseconds', now())";

/** A pause that no rule gives comes of a clock that was ahead when the job was written: such a job is due as well. */
const IS_DUE = `(j.next_attempt_at <= now() or j.next_attempt_at > now() + interval '${LONGEST_PAUSE_MILLISECONDS} milliseconds')`;

/** Queues events for pricing: they are `pending` until a job takes this row. */
export async function queueEvents(
  em: EntityManager,
  organizationId: string,
  job: { id: string; eventIds: readonly string[] },
): Promise<void> {
  await query(
    em,
    `
    insert into pricing_job (organization_id, id, event_ids, bytes, attempt, next_attempt_at, created_at)
    select $1, $2, $3::uuid[], coalesce(sum(octet_length(metadata::text)), 0), 0, ${DATABASE_TIME}, ${DATABASE_TIME}
    from usage_event where organization_id = $1 and id = any($3::uuid[])`,
    [organizationId, job.id, job.eventIds],
  );
  announceAfterCommit(em, PRICING_CHANNEL);
}

/** A job that this transaction holds. */
export interface ClaimedJob {
  readonly organizationId: string;
  readonly id: string;
  readonly eventIds: readonly string[];
  readonly bytes: number;
  readonly attempt: number;
  readonly alone: boolean;
  readonly createdAt: Date;
}

/** What a transaction may claim. The first job is claimed whatever is in it. */
export interface ClaimBounds {
  readonly jobsMax: number;
  readonly eventsMax: number;
  readonly bytesMax: number;
}

/** Lies before every organization. */
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Due jobs of one organization, the oldest first, skipping what others hold; one job only where it is to be priced alone.
 * Organizations take turns: it is the next one after `lastOrganizationId`, however long the queue of another is.
 */
export async function claimPricingJobs(
  em: EntityManager,
  lastOrganizationId: string,
  bounds: ClaimBounds,
): Promise<ClaimedJob[]> {
  for (const after of new Set([lastOrganizationId, BEFORE_ALL])) {
    const rows = await query<JobRow>(
      em,
      `
      with first as (
        select organization_id, id, alone from pricing_job j where organization_id > $1 and ${IS_DUE}
        order by organization_id, next_attempt_at limit 1 for update skip locked),
      due as (
        select j.* from pricing_job j join first f on f.organization_id = j.organization_id
        where ${IS_DUE} and case when f.alone then j.id = f.id else not j.alone end
        order by j.next_attempt_at limit $2 for update of j skip locked)
      ${within('due', 'number = 1')}`,
      [after, bounds.jobsMax, bounds.eventsMax, bounds.bytesMax],
    );
    if (rows.length > 0) return rows.map(claimed);
  }
  return [];
}

/** More due jobs of an organization that are not to be priced alone. */
export async function claimMoreJobs(
  em: EntityManager,
  organizationId: string,
  held: readonly string[],
  bounds: ClaimBounds,
): Promise<ClaimedJob[]> {
  const rows = await query<JobRow>(
    em,
    `
    with due as (
      select j.* from pricing_job j
      where j.organization_id = $1 and ${IS_DUE} and not j.alone and j.id <> all($5::uuid[])
      order by j.next_attempt_at limit $2 for update of j skip locked)
    ${within('due', 'false')}`,
    [organizationId, bounds.jobsMax, bounds.eventsMax, bounds.bytesMax, held],
  );
  return rows.map(claimed);
}

/** Of the rows of `jobs`, as many as fit into `$3` events and `$4` bytes, and those of which `anyway` holds. */
function within(jobs: string, anyway: string): string {
  return `
    select ${JOB_COLUMNS} from (
      select *, row_number() over turn as number, sum(cardinality(event_ids)) over turn as events_so_far, sum(bytes) over turn as bytes_so_far
      from ${jobs} window turn as (order by next_attempt_at, id)) j
    where ${anyway} or (events_so_far <= $3 and bytes_so_far <= $4) order by number`;
}

/** Jobs that are still there, held again: for recording what became of them. */
export async function holdPricingJobs(
  em: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<ClaimedJob[]> {
  const rows = await query<JobRow>(
    em,
    `
    select ${JOB_COLUMNS} from pricing_job j where j.organization_id = $1 and j.id = any($2::uuid[]) for update of j skip locked`,
    [organizationId, ids],
  );
  return rows.map(claimed);
}

export async function deletePricingJobs(
  em: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  await query(em, 'delete from pricing_job where organization_id = $1 and id = any($2::uuid[])', [organizationId, ids]);
}

export interface NewPricingJob {
  readonly eventIds: readonly string[];
  readonly bytes: number;
  readonly attempt: number;
  readonly alone: boolean;
  /** From now until it may be claimed. */
  readonly pauseMilliseconds: number;
  readonly lastError: string | null;
  /** Null: now. */
  readonly createdAt: Date | null;
}

export async function insertPricingJobs(
  em: EntityManager,
  organizationId: string,
  jobs: readonly NewPricingJob[],
): Promise<void> {
  const ids = uuidsV7(jobs.length);
  for (const [index, job] of jobs.entries()) {
    await query(
      em,
      `
      insert into pricing_job (organization_id, id, event_ids, bytes, attempt, alone, next_attempt_at, last_error, created_at)
      values ($1, $2, $3::uuid[], $4, $5, $6, ${DATABASE_TIME} + $7 * interval '1 millisecond', $8, coalesce($9, ${DATABASE_TIME}))`,
      [
        organizationId,
        ids[index],
        job.eventIds,
        job.bytes,
        job.attempt,
        job.alone,
        job.pauseMilliseconds,
        job.lastError,
        job.createdAt,
      ],
    );
  }
  if (jobs.length > 0) announceAfterCommit(em, PRICING_CHANNEL);
}

const JOB_COLUMNS = `
  j.organization_id, j.id, array_to_json(j.event_ids) as event_ids, j.bytes, j.attempt, j.alone, j.created_at::text`;

type JobRow = {
  organizationId: string;
  id: string;
  eventIds: string[];
  bytes: number;
  attempt: number;
  alone: boolean;
  createdAt: string;
};

function claimed(row: JobRow): ClaimedJob {
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

/** Events in the queue and how long the oldest job has waited; of one organization, or of all. */
export async function readQueueDepth(
  em: EntityManager,
  organizationId: string | null,
): Promise<{ events: number; oldestSeconds: number }> {
  return queryOne(
    em,
    `
    select coalesce(sum(cardinality(event_ids)), 0)::float8 as events,
      greatest(coalesce(extract(epoch from now() - min(created_at)), 0), 0)::float8 as oldest_seconds
    from pricing_job where $1::uuid is null or organization_id = $1`,
    [organizationId],
  );
}
