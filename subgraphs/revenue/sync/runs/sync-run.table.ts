/** Sync runs with their progress and counts. A running one resumes at its last page. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Page } from '#kernel/page-cursor.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { NOTES_MAX } from '../../config.ts';
import { firstStage, type SyncMode, type SyncStage } from '../../stripe/sync-stages.ts';

export const SyncRunTable = defineEntity({
  name: 'SyncRun',
  tableName: 'sync_run',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** `full` reads every list completely; `incremental` reads new objects, and those named by events. */
    mode: p.enum(['full', 'incremental']),
    state: p.enum(['running', 'finished', 'abandoned']),
    /** List that is being read. */
    stage: p.text(),
    /** Id of the last object on the last written page. */
    pageAfter: p.text().nullable(),
    pages: p.integer(),
    customers: p.integer(),
    subscriptions: p.integer(),
    invoices: p.integer(),
    recordsCreated: p.integer(),
    recordsUpdated: p.integer(),
    recordsSkipped: p.integer(),
    /** Records in currencies other than USD: stored, but not in any figure. */
    recordsInOtherCurrencies: p.integer(),
    /** Notes for users, e.g. about a list that the processor does not offer. */
    notes: p.array(),
    startedAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'sync_run_started_index', properties: ['organizationId', 'startedAt'] }],
});

const db = tables<typeof SyncRunTable>();

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

const OPEN_RUN = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<SyncRunRow>`select ${sql.raw(COLUMNS)} from sync_run where organization_id = ${organizationId} and state = 'running'`,
);

/** The run that is not finished; null if there is none. */
export async function openRun(tx: WriteTransaction, organizationId: OrganizationId): Promise<SyncRunRow | null> {
  return tx.first(OPEN_RUN, { organizationId });
}

const LATEST_RUNS = statement(
  ({ organizationId, limit, offset }: Parameters<{ organizationId: OrganizationId; limit: number; offset: number }>) =>
    sql<SyncRunRow>`select ${sql.raw(COLUMNS)} from sync_run where organization_id = ${organizationId} order by sync_run.started_at desc, id limit ${limit} offset ${offset}`,
);

const COUNT_RUNS = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<{ count: number }>`select count(*)::float8 as count from sync_run where organization_id = ${organizationId}`,
);

/** The latest runs, newest first. */
export async function latestRuns(tx: Transaction, organizationId: OrganizationId, page: Page): Promise<SyncRunRow[]> {
  return tx.all(LATEST_RUNS, { organizationId, ...page });
}

export async function countRuns(tx: Transaction, organizationId: OrganizationId): Promise<number> {
  return (await tx.one(COUNT_RUNS, { organizationId })).count;
}

const RUN_BY_ID = statement(
  ({ organizationId, id }: Parameters<{ organizationId: OrganizationId; id: string }>) =>
    sql<SyncRunRow>`select ${sql.raw(COLUMNS)} from sync_run where organization_id = ${organizationId} and id::text = ${id}`,
);

export async function runById(tx: Transaction, organizationId: OrganizationId, id: string): Promise<SyncRunRow | null> {
  return tx.first(RUN_BY_ID, { organizationId, id });
}

const BEGIN_RUN = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; id: string; mode: SyncMode; stage: SyncStage; now: Date }>,
  ) => sql<SyncRunRow>`insert into sync_run (organization_id, id, mode, state, stage, pages, customers, subscriptions, invoices, records_created, records_updated,
       records_skipped, records_in_other_currencies, notes, started_at)
     values (${input.organizationId}, ${input.id}, ${input.mode}, 'running', ${input.stage}, 0, 0, 0, 0, 0, 0, 0, 0, '{}', ${input.now}) returning ${sql.raw(COLUMNS)}`,
);

export async function beginRun(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  mode: SyncMode,
  now: Date,
): Promise<SyncRunRow> {
  return tx.one(BEGIN_RUN, { organizationId, id, mode, stage: firstStage(mode), now });
}

const ADD_COUNTS = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      id: string;
      customers: number;
      subscriptions: number;
      invoices: number;
      recordsCreated: number;
      recordsUpdated: number;
      recordsSkipped: number;
      recordsInOtherCurrencies: number;
    }>,
  ) => sql<object>`update sync_run set customers = customers + ${input.customers}, subscriptions = subscriptions + ${input.subscriptions}, invoices = invoices + ${input.invoices},
       records_created = records_created + ${input.recordsCreated}, records_updated = records_updated + ${input.recordsUpdated}, records_skipped = records_skipped + ${input.recordsSkipped},
       records_in_other_currencies = records_in_other_currencies + ${input.recordsInOtherCurrencies}
     where organization_id = ${input.organizationId} and id = ${input.id}`,
);

/** Adds to a run's counts, whatever its state. */
export async function addCounts(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  counts: RunCounts,
): Promise<void> {
  await tx.run(ADD_COUNTS, {
    organizationId,
    id,
    customers: counts.customers,
    subscriptions: counts.subscriptions,
    invoices: counts.invoices,
    recordsCreated: counts.recordsCreated,
    recordsUpdated: counts.recordsUpdated,
    recordsSkipped: counts.recordsSkipped,
    recordsInOtherCurrencies: counts.recordsInOtherCurrencies,
  });
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

const MOVE_RUN = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      id: string;
      stage: SyncStage;
      pageAfter: string | null;
      now: Date;
    }>,
  ) => sql<object>`update sync_run set stage = ${input.stage}, page_after = ${input.pageAfter}, pages = pages + 1, state = case when ${input.stage} = 'done' then 'finished' else state end,
       finished_at = case when ${input.stage} = 'done' then ${input.now}::timestamptz else null end
     where organization_id = ${input.organizationId} and id = ${input.id}`,
);

/** Advances a run past a page; `stage` 'done' finishes it. */
export async function moveRun(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  stage: SyncStage,
  pageAfter: string | null,
  now: Date,
): Promise<void> {
  await tx.run(MOVE_RUN, { organizationId, id, stage, pageAfter, now });
}

const WIDEN_RUN = statement((input: Parameters<{ organizationId: OrganizationId; id: string; stage: SyncStage }>) =>
  db
    .updateTable('syncRun')
    .set({ mode: 'full', stage: input.stage, pageAfter: null })
    .where('organizationId', '=', input.organizationId)
    .where('id', '=', input.id),
);

/** Turns an incremental run into a full one, if the processor has no events. */
export async function widenRun(tx: WriteTransaction, organizationId: OrganizationId, id: string): Promise<void> {
  await tx.run(WIDEN_RUN, { organizationId, id, stage: firstStage('full') });
}

const PAGES_OF_LAST_FULL = statement(({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
  db
    .selectFrom('syncRun')
    .select('pages')
    .where('organizationId', '=', organizationId)
    .where('mode', '=', 'full')
    .where('state', '=', 'finished')
    .orderBy('startedAt', 'desc')
    .limit(1),
);

/** Pages of the last finished full run. */
export async function pagesOfLastFull(tx: WriteTransaction, organizationId: OrganizationId): Promise<number | null> {
  return (await tx.first(PAGES_OF_LAST_FULL, { organizationId }))?.pages ?? null;
}

const ADD_RUN_NOTE = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; note: string }>) =>
    sql<object>`update sync_run set notes = notes || ${input.note}::text where organization_id = ${input.organizationId} and id = ${input.id} and not ${input.note} = any(notes) and cardinality(notes) < ${sql.lit(NOTES_MAX)}`,
);

/** Adds a note unless the run already has it, or `NOTES_MAX` notes. */
export async function addRunNote(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  note: string,
): Promise<void> {
  await tx.run(ADD_RUN_NOTE, { organizationId, id, note });
}

const ABANDON_RUNS = statement(({ organizationId, now }: Parameters<{ organizationId: OrganizationId; now: Date }>) =>
  db
    .updateTable('syncRun')
    .set({ state: 'abandoned', finishedAt: now })
    .where('organizationId', '=', organizationId)
    .where('state', '=', 'running'),
);

/** Abandons the current run, after the account was disconnected or replaced. */
export async function abandonRuns(tx: WriteTransaction, organizationId: OrganizationId, now: Date): Promise<void> {
  await tx.run(ABANDON_RUNS, { organizationId, now });
}
