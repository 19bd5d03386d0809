/** Runs of the sync: how far each has come and what it did. An open run is resumed where it stopped. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../../platform/database/tenant-table.ts';
import { isoMillis } from '../../../../platform/database/iso-sql.ts';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { query, queryOne, type Transaction } from '../../../../platform/database/sql.ts';
import { NOTES_MAX } from '../../config.ts';
import { firstStage, type SyncMode, type SyncStage } from '../../stripe/sync-stages.ts';

export const SyncRunTable = defineEntity({
  name: 'SyncRun',
  tableName: 'sync_run',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** `full` reads every list whole; `incremental` what is new, and what the processor's events name. */
    mode: p.enum(['full', 'incremental']),
    state: p.enum(['running', 'finished', 'abandoned']),
    /** What is being read now. */
    stage: p.text(),
    /** Id of the last object of the last page that was written. */
    pageAfter: p.text().nullable(),
    pages: p.integer(),
    customers: p.integer(),
    subscriptions: p.integer(),
    invoices: p.integer(),
    recordsCreated: p.integer(),
    recordsUpdated: p.integer(),
    recordsSkipped: p.integer(),
    /** Records in other currencies than USD: stored, and left out of every figure. */
    recordsInOtherCurrencies: p.integer(),
    /** What a person should know, such as a list that the processor does not offer. */
    notes: p.array(),
    startedAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'sync_run_started_index', properties: ['organizationId', 'startedAt'] }],
});

export type SyncRun = InferEntity<typeof SyncRunTable>;

export interface SyncRunRow {
  id: string;
  mode: SyncMode;
  state: 'running' | 'finished' | 'abandoned';
  stage: SyncStage;
  pageAfter: string | null;
  pages: number;
  customers: number;
  subscriptions: number;
  invoices: number;
  recordsCreated: number;
  recordsUpdated: number;
  recordsSkipped: number;
  recordsInOtherCurrencies: number;
  notes: string[];
  /** ISO 8601 UTC. */
  startedAt: string;
  finishedAt: string | null;
}

const COLUMNS = `id, mode, state, stage, page_after, pages, customers, subscriptions, invoices, records_created, records_updated, records_skipped,
  records_in_other_currencies, notes, ${isoMillis('started_at')} as started_at, ${isoMillis('finished_at')} as finished_at`;

export async function openRun(em: EntityManager, organizationId: string): Promise<SyncRunRow | null> {
  const [row] = await query<SyncRunRow>(
    em,
    `select ${COLUMNS} from sync_run where organization_id = $1 and state = 'running'`,
    [organizationId],
  );
  return row ?? null;
}

/** Newest first. */
export async function latestRuns(tx: Transaction, organizationId: string, limit: number): Promise<SyncRunRow[]> {
  return query<SyncRunRow>(
    tx,
    `select ${COLUMNS} from sync_run where organization_id = $1 order by sync_run.started_at desc, id limit $2`,
    [organizationId, limit],
  );
}

export async function runById(tx: Transaction, organizationId: string, id: string): Promise<SyncRunRow | null> {
  const [row] = await query<SyncRunRow>(
    tx,
    `select ${COLUMNS} from sync_run where organization_id = $1 and id::text = $2`,
    [organizationId, id],
  );
  return row ?? null;
}

export async function beginRun(
  em: EntityManager,
  organizationId: string,
  id: string,
  mode: SyncMode,
  now: Date,
): Promise<SyncRunRow> {
  return queryOne<SyncRunRow>(
    em,
    `insert into sync_run (organization_id, id, mode, state, stage, pages, customers, subscriptions, invoices, records_created, records_updated,
       records_skipped, records_in_other_currencies, notes, started_at)
     values ($1, $2, $3, 'running', $4, 0, 0, 0, 0, 0, 0, 0, 0, '{}', $5) returning ${COLUMNS}`,
    [organizationId, id, mode, firstStage(mode), now],
  );
}

/** Adds what was done to a run, wherever it stands. */
export async function addCounts(
  em: EntityManager,
  organizationId: string,
  id: string,
  counts: RunCounts,
): Promise<void> {
  await query(
    em,
    `update sync_run set customers = customers + $3, subscriptions = subscriptions + $4, invoices = invoices + $5,
       records_created = records_created + $6, records_updated = records_updated + $7, records_skipped = records_skipped + $8,
       records_in_other_currencies = records_in_other_currencies + $9
     where organization_id = $1 and id = $2`,
    [
      organizationId,
      id,
      counts.customers,
      counts.subscriptions,
      counts.invoices,
      counts.recordsCreated,
      counts.recordsUpdated,
      counts.recordsSkipped,
      counts.recordsInOtherCurrencies,
    ],
  );
}

export interface RunCounts {
  readonly customers: number;
  readonly subscriptions: number;
  readonly invoices: number;
  readonly recordsCreated: number;
  readonly recordsUpdated: number;
  readonly recordsSkipped: number;
  readonly recordsInOtherCurrencies: number;
}

/** Moves a run past a page; `stage` 'done' ends it. */
export async function moveRun(
  em: EntityManager,
  organizationId: string,
  id: string,
  stage: SyncStage,
  pageAfter: string | null,
  now: Date,
): Promise<void> {
  await query(
    em,
    `update sync_run set stage = $3, page_after = $4, pages = pages + 1, state = case when $3 = 'done' then 'finished' else state end,
       finished_at = case when $3 = 'done' then $5::timestamptz else null end
     where organization_id = $1 and id = $2`,
    [organizationId, id, stage, pageAfter, now],
  );
}

/** An incremental run that cannot tell what has changed reads everything instead. */
export async function widenRun(em: EntityManager, organizationId: string, id: string): Promise<void> {
  await query(
    em,
    "update sync_run set mode = 'full', stage = $3, page_after = null where organization_id = $1 and id = $2",
    [organizationId, id, firstStage('full')],
  );
}

/** Pages of the last full run that came to its end. */
export async function pagesOfLastFull(em: EntityManager, organizationId: string): Promise<number | null> {
  const [row] = await query<{ pages: number }>(
    em,
    "select pages from sync_run where organization_id = $1 and mode = 'full' and state = 'finished' order by started_at desc limit 1",
    [organizationId],
  );
  return row?.pages ?? null;
}

/** Keeps a note once, and not too many of them. */
export async function addRunNote(em: EntityManager, organizationId: string, id: string, note: string): Promise<void> {
  await query(
    em,
    `update sync_run set notes = notes || $3::text where organization_id = $1 and id = $2 and not $3 = any(notes) and cardinality(notes) < ${NOTES_MAX}`,
    [organizationId, id, note],
  );
}

/** Ends what is under way without an end: the connection was cut or changed. */
export async function abandonRuns(em: EntityManager, organizationId: string, now: Date): Promise<void> {
  await query(
    em,
    "update sync_run set state = 'abandoned', finished_at = $2 where organization_id = $1 and state = 'running'",
    [organizationId, now],
  );
}
