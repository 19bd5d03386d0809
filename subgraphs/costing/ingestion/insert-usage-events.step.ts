/**
 * The single statement of ingestion: stores new events, debits the balance for exactly these events, and queues them
 * for pricing. The debit follows the inserts within the statement, to hold the account's lock as briefly as possible.
 * On several nodes the coordinator would split it into eight statements, so there it only stores, and two more follow
 * (decision 63).
 */
import type { AccountUserId, ApiKeyId, OrganizationId } from '#kernel/ids.ts';
import { announceAfterCommit } from '#platform/database/announce.ts';
import { arrayBytes, columnBytes, jsonArray } from '#platform/database/array-literal.ts';
import { arrayParameters, columnList, columnsOf } from '#platform/database/columns.ts';
import { coversAllOrganizations } from '#platform/database/nodes/distribution.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { ensureHome } from '#platform/database/nodes/organization-home.ts';
import { statement } from '#platform/database/statement.ts';
import type { IngestionSource } from './ingestion-source.ts';
import type { UsageEventDraft } from '../events/parse-usage-event.ts';
import { UsageEventTable } from '../events/usage-event.table.ts';
import { DATABASE_TIME, insertJob, PRICING_CHANNEL } from '../pricing-queue/pricing-job.table.ts';

/** A draft with its id assigned. */
export interface NumberedDraft {
  readonly id: string;
  readonly draft: UsageEventDraft;
}

export interface Insertion {
  /** Ids of the new rows, in no particular order. Existing keys are left out. */
  readonly insertedIds: readonly string[];
  /** The plan after the debit; null if nothing was debited from it. */
  readonly plan: { readonly allotment: number; readonly left: number; readonly softLimit: number } | null;
  /**
   * False if the events still have to be charged: the plan's credits do not suffice, or charging is done elsewhere. In
   * that case no pricing job was queued.
   */
  readonly isCharged: boolean;
}

/** Columns that ingestion adds to an event as sent. */
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

const IS_LIMITED = 'exists (select 1 from credit_account where organization_id = :organizationId)';

const COLUMNS = `organization_id, account_user_id, livemode, received_at, api_key_id, charged, id, ${columnList(SENT)}`;
const VALUES = `:accountUserId, :livemode, :receivedAt, :apiKeyId::uuid, ${IS_LIMITED}, item.*`;
const ITEMS = `unnest(:ids::text::uuid[], ${arrayParameters(SENT)}) as item`;
const KEY = '(organization_id, livemode, idempotency_key)';

/** SQLSTATE raised by the database's function `raise_events_unpaid`. */
const EVENTS_UNPAID = 'BK001';

/** Fails if new events were stored without being paid. */
const PAID = 'case when fresh.events = 0 or exists (select 1 from settled) then 1 else raise_events_unpaid() end';

/** True if the plan, as it was when the statement began, can pay for all events sent. */
const IS_COVERED = `(not ${IS_LIMITED} or exists (
  select 1 from credit_account where organization_id = :organizationId and renews_at > :receivedAt and allotment_left >= :drafts))`;

/** With `isLast`, unpaid events make the statement fail, because it also commits the transaction. */
const insert = (isLast: boolean) => `
  with inserted as (
    insert into usage_event (${COLUMNS})
    select :organizationId, ${VALUES} from ${ITEMS}
    ${isLast ? `where ${IS_COVERED}` : ''}
    on conflict ${KEY} do nothing
    returning id, octet_length(metadata::text) as bytes
  ), fresh as (
    select count(*) as events, array_agg(id) as ids, coalesce(sum(bytes), 0) as bytes from inserted
  ), debit as (
    update credit_account
    set allotment_left = allotment_left - fresh.events, spent = spent + fresh.events
    from fresh
    where organization_id = :organizationId and fresh.events > 0 and allotment_left >= fresh.events and renews_at > :receivedAt
    returning allotment, allotment_left, soft_limit
  ), settled as (
    select fresh.* from fresh
    where fresh.events > 0
      and (exists (select 1 from debit) or not ${IS_LIMITED})
  ), job as (
    insert into pricing_job (organization_id, id, event_ids, bytes, attempt, next_attempt_at, created_at)
    select :organizationId, :jobId, ids, bytes, 0, ${DATABASE_TIME}, ${DATABASE_TIME} from settled
  )
  select array_to_string(fresh.ids, ',') as ids, exists (select 1 from settled) as is_charged,
    allotment::float8, allotment_left::float8 as "left", soft_limit::float8
    ${isLast ? `, ${IS_COVERED} as is_covered, ${PAID} as paid` : ''}
  from fresh left join debit on true`;

/** The event columns by property, and the values that all rows share. */
interface InsertInput extends Readonly<Record<string, unknown>> {
  readonly organizationId: OrganizationId;
  readonly accountUserId: AccountUserId;
  readonly livemode: boolean;
  readonly receivedAt: Date;
  readonly apiKeyId: ApiKeyId | null;
  readonly ids: Buffer | null;
  readonly jobId: string;
  /** Number of drafts. */
  readonly drafts: number;
}

const INSERT = statement<InsertedRow, InsertInput>(insert(false), { isPrepared: true });

/** Fails if other transactions have meanwhile spent the credits that this statement relied on. */
const INSERT_AND_COMMIT = statement<InsertedRow, InsertInput>(insert(true), { commits: true });

/** Selects from the organization's anchor row; if that is missing, nothing is inserted. */
const INSERT_ON_ANCHOR = statement<{ id: string; charged: boolean; bytes: number | null }, InsertInput>(
  `
  insert into usage_event (${COLUMNS})
  select home.organization_id, ${VALUES} from organization_home home cross join ${ITEMS}
  where home.organization_id = :organizationId
  on conflict ${KEY} do nothing
  returning id, charged, octet_length(metadata::text) as bytes`,
  { isPrepared: true },
);

interface InsertedRow {
  /** Set only by the statement that also commits: true if the plan covers all new events. */
  readonly isCovered?: boolean;
  readonly ids: string | null;
  readonly isCharged: boolean;
  readonly allotment: number | null;
  readonly left: number | null;
  readonly softLimit: number | null;
}

/** `drafts` have distinct keys and are sorted by key: batches in different orders would deadlock. */
export async function insertUsageEvents(
  tx: WriteTransaction,
  source: IngestionSource,
  jobId: string,
  drafts: readonly NumberedDraft[],
): Promise<Insertion> {
  const input = inputOf(source, jobId, drafts);
  if (!coversAllOrganizations(tx)) return insertOnAnchor(tx, input);
  return insertionOf(tx, await tx.one(INSERT, input));
}

/**
 * Inserts events and commits the transaction if the plan's credits pay for all of them, new or not, or nothing must be
 * paid. Returns null if the credits do not suffice, or no longer do: nothing is then stored, and this transaction must
 * not be used further. Only for a single node.
 */
export async function insertAndCommit(
  tx: WriteTransaction,
  source: IngestionSource,
  jobId: string,
  drafts: readonly NumberedDraft[],
): Promise<Insertion | null> {
  const input = inputOf(source, jobId, drafts);
  try {
    const row = await tx.one(INSERT_AND_COMMIT, input);
    return row.isCovered ? insertionOf(tx, row) : null;
  } catch (error) {
    // PostgreSQL rolls such a transaction back completely, even on `commit`.
    if ((error as { code?: unknown }).code === EVENTS_UNPAID) return null;
    throw error;
  }
}

function insertionOf(tx: WriteTransaction, row: InsertedRow): Insertion {
  if (row.isCharged) announceAfterCommit(tx, PRICING_CHANNEL);
  const insertedIds = row.ids === null ? [] : row.ids.split(',');
  const { allotment, left } = row;
  return {
    insertedIds,
    plan: allotment === null || left === null ? null : { allotment, left, softLimit: row.softLimit ?? allotment },
    isCharged: row.isCharged || insertedIds.length === 0,
  };
}

function inputOf(source: IngestionSource, jobId: string, drafts: readonly NumberedDraft[]): InsertInput {
  const rows = drafts.map(draftOf);
  const input: Record<string, unknown> = {};
  for (const { property } of SENT) {
    const json = JSON_TEXTS[property];
    input[property] = json
      ? jsonArray(rows.map((draft) => draft[json]))
      : columnBytes(rows as unknown as Values[], property);
  }
  return {
    ...input,
    organizationId: source.organizationId,
    accountUserId: source.accountUserId,
    livemode: source.livemode,
    receivedAt: source.receivedAt,
    apiKeyId: source.apiKeyId,
    ids: arrayBytes(drafts.map(idOf)),
    jobId,
    drafts: drafts.length,
  };
}

function draftOf({ draft }: NumberedDraft): UsageEventDraft {
  return draft;
}

function idOf({ id }: NumberedDraft): string {
  return id;
}

async function insertOnAnchor(tx: WriteTransaction, input: InsertInput): Promise<Insertion> {
  const { organizationId, jobId } = input;
  const insert = () => tx.all(INSERT_ON_ANCHOR, input);
  let rows = await insert();
  if (rows.length === 0) {
    // All events existed already, or the anchor row was missing.
    await ensureHome(tx, organizationId);
    rows = await insert();
  }
  const insertedIds = rows.map(({ id }) => id);
  const isCharged = rows.every(({ charged }) => !charged);
  const bytes = rows.reduce((sum, row) => sum + (row.bytes ?? 0), 0);
  if (isCharged && rows.length > 0) await insertJob(tx, organizationId, { id: jobId, eventIds: insertedIds, bytes });
  return { insertedIds, plan: null, isCharged };
}

/** Metadata and a provider's usage are stored as the JSON that was sent. */
const JSON_TEXTS: Readonly<Record<string, 'metadataJson' | 'providerUsageJson'>> = {
  metadata: 'metadataJson',
  providerUsage: 'providerUsageJson',
};

type Values = Readonly<Record<string, string | number | null>>;
