/**
 * The one statement of ingestion: stores what is new, debits the balance for exactly that, and queues it for pricing.
 * The debit comes after the rows within the statement: the account's lock is then held for the shortest time.
 */
import { announceAfterCommit } from '../../../platform/database/announce.ts';
import { arrayLiteral, jsonArray } from '../../../platform/database/array-literal.ts';
import { arrayParameters, columnList, columnsOf } from '../../../platform/database/columns.ts';
import { isDistributed } from '../../../platform/database/nodes/distribution.ts';
import { prepared } from '../../../platform/database/guarded-client.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { ensureHome } from '../../../platform/database/nodes/organization-home.ts';
import { queryOne } from '../../../platform/database/sql.ts';
import type { IngestionSource } from './ingestion-source.ts';
import type { UsageEventDraft } from '../events/parse-usage-event.ts';
import { UsageEventTable } from '../events/usage-event.table.ts';
import { DATABASE_TIME, PRICING_CHANNEL } from '../pricing/queue/pricing-job.table.ts';

/** A draft that has been given its id. */
export interface NumberedDraft {
  readonly id: string;
  readonly draft: UsageEventDraft;
}

export interface Insertion {
  /** Ids of the rows that are new, in no order. Keys that were there already are left out. */
  readonly insertedIds: readonly string[];
  /** Whether the organization has a balance. */
  readonly isLimited: boolean;
  /** The plan after the debit; null when nothing was debited from it. */
  readonly plan: { readonly allotment: number; readonly left: number; readonly softLimit: number } | null;
  /** False when there is a balance that the plan alone does not cover: nothing was debited and nothing queued. */
  readonly isCharged: boolean;
}

/** What ingestion itself adds to an event as sent. */
const ADDED = ['organizationId', 'accountUserId', 'apiKeyId', 'livemode', 'receivedAt', 'charged', 'id', 'reducedAt'];
const SENT = columnsOf(UsageEventTable).filter(({ property }) => !ADDED.includes(property));

const IS_LIMITED = 'exists (select 1 from credit_account where organization_id = $1)';

/** At home it selects from the organization's home, without which nothing is new. */
const insert = (isAtHome: boolean) =>
  prepared(`
  with inserted as (
    insert into usage_event (organization_id, account_user_id, livemode, received_at, api_key_id, charged, id, ${columnList(SENT)})
    select ${isAtHome ? 'home.organization_id' : '$1'}, $2, $3, $4, $6::uuid, ${IS_LIMITED}, item.*
    from ${isAtHome ? 'organization_home home cross join ' : ''}unnest($7::uuid[], ${arrayParameters(SENT, 8)}) as item
    ${isAtHome ? 'where home.organization_id = $1' : ''}
    on conflict (organization_id, livemode, idempotency_key) do nothing
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
    select ${isAtHome ? 'home.organization_id' : '$1'}, $5, ids, bytes, 0, ${DATABASE_TIME}, ${DATABASE_TIME}
    from settled ${isAtHome ? 'cross join organization_home home where home.organization_id = $1' : ''}
  )
  select array_to_string(fresh.ids, ',') as ids, exists (select 1 from settled) as is_charged, ${IS_LIMITED} as is_limited,
    allotment::float8, allotment_left::float8 as "left", soft_limit::float8,
    ${isAtHome ? 'exists (select 1 from organization_home where organization_id = $1)' : 'true'} as has_home
  from fresh left join debit on true`);

const INSERT = insert(false);
const INSERT_AT_HOME = insert(true);

interface InsertedRow {
  readonly ids: string | null;
  readonly isCharged: boolean;
  readonly isLimited: boolean;
  readonly allotment: number | null;
  readonly left: number | null;
  readonly softLimit: number | null;
  readonly hasHome: boolean;
}

/** `drafts` have different keys and are sorted by key: two batches in different orders would deadlock. */
export async function insertUsageEvents(
  em: EntityManager,
  source: IngestionSource,
  jobId: string,
  drafts: readonly NumberedDraft[],
): Promise<Insertion> {
  const columns = SENT.map(({ property }) => {
    const json = JSON_TEXTS[property];
    return json
      ? jsonArray(drafts.map(({ draft }) => draft[json]))
      : arrayLiteral(drafts.map(({ draft }) => (draft as unknown as Values)[property] ?? null));
  });
  const parameters = [
    source.organizationId,
    source.accountUserId,
    source.livemode,
    source.receivedAt,
    jobId,
    source.apiKeyId,
    arrayLiteral(drafts.map(({ id }) => id)),
    ...columns,
  ];
  const statement = isDistributed(em) ? INSERT_AT_HOME : INSERT;
  let row = await queryOne<InsertedRow>(em, statement, parameters);
  if (!row.hasHome) {
    await ensureHome(em, source.organizationId);
    row = await queryOne<InsertedRow>(em, statement, parameters);
  }
  if (row.isCharged) announceAfterCommit(em, PRICING_CHANNEL);
  const insertedIds = row.ids === null ? [] : row.ids.split(',');
  const { allotment, left } = row;
  return {
    insertedIds,
    isLimited: row.isLimited,
    plan: allotment === null || left === null ? null : { allotment, left, softLimit: row.softLimit ?? allotment },
    isCharged: row.isCharged || insertedIds.length === 0,
  };
}

/** Metadata and a provider's usage are stored as the JSON that was sent. */
const JSON_TEXTS: Readonly<Record<string, 'metadataJson' | 'providerUsageJson'>> = {
  metadata: 'metadataJson',
  providerUsage: 'providerUsageJson',
};

type Values = Readonly<Record<string, string | number | null>>;
