/**
 * The one statement of ingestion: stores what is new, debits the balance for exactly that, and queues it for pricing.
 * The debit comes after the rows within the statement: the account's lock is then held for the shortest time.
 * On several nodes the coordinator would take it apart into eight: there it only stores, and two follow (decision 63).
 */
import { announceAfterCommit } from '../../../platform/database/announce.ts';
import { arrayBytes, columnBytes, jsonArray } from '../../../platform/database/array-literal.ts';
import { arrayParameters, columnList, columnsOf } from '../../../platform/database/columns.ts';
import { isDistributed } from '../../../platform/database/nodes/distribution.ts';
import { prepared } from '../../../platform/database/connections/prepared-sql.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { ensureHome } from '../../../platform/database/nodes/organization-home.ts';
import { query, queryOne } from '../../../platform/database/sql.ts';
import type { IngestionSource } from './ingestion-source.ts';
import type { UsageEventDraft } from '../events/parse-usage-event.ts';
import { UsageEventTable } from '../events/usage-event.table.ts';
import { DATABASE_TIME, insertJob, PRICING_CHANNEL } from '../pricing/queue/pricing-job.table.ts';

/** A draft that has been given its id. */
export interface NumberedDraft {
  readonly id: string;
  readonly draft: UsageEventDraft;
}

export interface Insertion {
  /** Ids of the rows that are new, in no order. Keys that were there already are left out. */
  readonly insertedIds: readonly string[];
  /** The plan after the debit; null when nothing was debited from it. */
  readonly plan: { readonly allotment: number; readonly left: number; readonly softLimit: number } | null;
  /** False when there is a balance that the plan alone does not cover, or is not debited here: nothing was queued either. */
  readonly isCharged: boolean;
}

/** What ingestion itself adds to an event as sent. */
const ADDED = [
  'organizationId',
  'accountUserId',
  'apiKeyId',
  'livemode',
  'receivedAt',
  'charged',
  'id',
  'reducedAt',
  'revisedAt',
];
const SENT = columnsOf(UsageEventTable).filter(({ property }) => !ADDED.includes(property));

const IS_LIMITED = 'exists (select 1 from credit_account where organization_id = $1)';

const COLUMNS = `organization_id, account_user_id, livemode, received_at, api_key_id, charged, id, ${columnList(SENT)}`;
const VALUES = `$2, $3, $4, $5::uuid, ${IS_LIMITED}, item.*`;
const ITEMS = `unnest($6::text::uuid[], ${arrayParameters(SENT, 7)}) as item`;
const KEY = '(organization_id, livemode, idempotency_key)';

/** Of the parameters, the one after all columns. */
const JOB = `$${7 + SENT.length}`;

/** 1, or 0 where something new has been stored that nothing pays for. */
const IS_PAID = '(fresh.events = 0 or exists (select 1 from settled))::int';

/** Of the plan as it was when the statement began, it can pay for all that is sent. */
const IS_COVERED = `(not ${IS_LIMITED} or exists (
  select 1 from credit_account where organization_id = $1 and renews_at > $4 and allotment_left >= $${8 + SENT.length}))`;

/** With `isLast` nothing is stored that is not paid for: its transaction is over with it. */
const insert = (isLast: boolean) => `
  with inserted as (
    insert into usage_event (${COLUMNS})
    select $1, ${VALUES} from ${ITEMS}
    ${isLast ? `where ${IS_COVERED}` : ''}
    on conflict ${KEY} do nothing
    returning id, octet_length(metadata::text) as bytes
  ), fresh as (
    select count(*) as events, array_agg(id) as ids, coalesce(sum(bytes), 0) as bytes from inserted
  ), debit as (
    update credit_account
    set allotment_left = allotment_left - fresh.events, spent = spent + fresh.events
    from fresh
    where organization_id = $1 and fresh.events > 0 and allotment_left >= fresh.events and renews_at > $4
    returning allotment, allotment_left, soft_limit
  ), settled as (
    select fresh.* from fresh
    where fresh.events > 0
      and (exists (select 1 from debit) or not ${IS_LIMITED})
  ), job as (
    insert into pricing_job (organization_id, id, event_ids, bytes, attempt, next_attempt_at, created_at)
    select $1, ${JOB}, ids, bytes, 0, ${DATABASE_TIME}, ${DATABASE_TIME} from settled
  )
  select array_to_string(fresh.ids, ',') as ids, exists (select 1 from settled) as is_charged,
    allotment::float8, allotment_left::float8 as "left", soft_limit::float8
    ${isLast ? `, ${IS_COVERED} as is_covered, 1 / ${IS_PAID} as paid` : ''}
  from fresh left join debit on true`;

const INSERT = prepared(insert(false));

/** It stops where others have spent meanwhile what it counted on. */
const INSERT_AND_COMMIT = prepared(insert(true), { commits: true });
const DIVISION_BY_ZERO = '22012';

/** It selects from the organization's home, without which nothing is new. */
const INSERT_AT_HOME = prepared(`
  insert into usage_event (${COLUMNS})
  select home.organization_id, ${VALUES} from organization_home home cross join ${ITEMS}
  where home.organization_id = $1
  on conflict ${KEY} do nothing
  returning id, charged, octet_length(metadata::text) as bytes`);

interface InsertedRow {
  /** Only of the one that commits. */
  readonly isCovered?: boolean;
  readonly ids: string | null;
  readonly isCharged: boolean;
  readonly allotment: number | null;
  readonly left: number | null;
  readonly softLimit: number | null;
}

/** `drafts` have different keys and are sorted by key: two batches in different orders would deadlock. */
export async function insertUsageEvents(
  em: EntityManager,
  source: IngestionSource,
  jobId: string,
  drafts: readonly NumberedDraft[],
): Promise<Insertion> {
  const parameters = parametersOf(source, drafts);
  if (isDistributed(em)) return insertAtHome(em, source.organizationId, jobId, parameters);
  return insertionOf(em, await queryOne<InsertedRow>(em, INSERT, [...parameters, jobId]));
}

/**
 * The same where the plan alone pays for all of them, new or not, or nothing has to: then the transaction is over. Null where it does not,
 * or did a moment ago: nothing is stored, and nothing may follow in this transaction either. On one node.
 */
export async function insertAndCommit(
  em: EntityManager,
  source: IngestionSource,
  jobId: string,
  drafts: readonly NumberedDraft[],
): Promise<Insertion | null> {
  const parameters = [...parametersOf(source, drafts), jobId, drafts.length];
  try {
    const row = await queryOne<InsertedRow>(em, INSERT_AND_COMMIT, parameters);
    return row.isCovered ? insertionOf(em, row) : null;
  } catch (error) {
    // Such a transaction is taken back whole, also by its `commit`.
    if ((error as { code?: unknown }).code === DIVISION_BY_ZERO) return null;
    throw error;
  }
}

function insertionOf(em: EntityManager, row: InsertedRow): Insertion {
  if (row.isCharged) announceAfterCommit(em, PRICING_CHANNEL);
  const insertedIds = row.ids === null ? [] : row.ids.split(',');
  const { allotment, left } = row;
  return {
    insertedIds,
    plan: allotment === null || left === null ? null : { allotment, left, softLimit: row.softLimit ?? allotment },
    isCharged: row.isCharged || insertedIds.length === 0,
  };
}

function parametersOf(source: IngestionSource, drafts: readonly NumberedDraft[]): unknown[] {
  const rows = drafts.map(draftOf);
  const columns = SENT.map(({ property }) => {
    const json = JSON_TEXTS[property];
    return json ? jsonArray(rows.map((draft) => draft[json])) : columnBytes(rows as unknown as Values[], property);
  });
  return [
    source.organizationId,
    source.accountUserId,
    source.livemode,
    source.receivedAt,
    source.apiKeyId,
    arrayBytes(drafts.map(idOf)),
    ...columns,
  ];
}

function draftOf({ draft }: NumberedDraft): UsageEventDraft {
  return draft;
}

function idOf({ id }: NumberedDraft): string {
  return id;
}

async function insertAtHome(
  em: EntityManager,
  organizationId: string,
  jobId: string,
  parameters: readonly unknown[],
): Promise<Insertion> {
  const insert = () => query<{ id: string; charged: boolean; bytes: number | null }>(em, INSERT_AT_HOME, parameters);
  let rows = await insert();
  if (rows.length === 0) {
    // All of them were there, or the home was not yet.
    await ensureHome(em, organizationId);
    rows = await insert();
  }
  const insertedIds = rows.map(({ id }) => id);
  const isCharged = rows.every(({ charged }) => !charged);
  const bytes = rows.reduce((sum, row) => sum + (row.bytes ?? 0), 0);
  if (isCharged && rows.length > 0) await insertJob(em, organizationId, { id: jobId, eventIds: insertedIds, bytes });
  return { insertedIds, plan: null, isCharged };
}

/** Metadata and a provider's usage are stored as the JSON that was sent. */
const JSON_TEXTS: Readonly<Record<string, 'metadataJson' | 'providerUsageJson'>> = {
  metadata: 'metadataJson',
  providerUsage: 'providerUsageJson',
};

type Values = Readonly<Record<string, string | number | null>>;
