/**
 * The position each consumer last acknowledged in each organization's feed. Batches that all consumers have
 * acknowledged may be pruned.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { coversAllOrganizations } from '#platform/database/nodes/distribution.ts';
import { statementsOf } from '#platform/database/nodes/organization-rows.ts';
import { lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Statement, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { FeedMark } from '#schema/priced-feed.ts';

export const FeedAcknowledgementTable = defineEntity({
  name: 'FeedAcknowledgement',
  tableName: 'feed_acknowledgement',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    follower: p.text().primary(),
    /** The last acknowledged batch; all batches before it are acknowledged, too. */
    number: p.bigint(),
    token: p.uuid().nullable(),
  },
});

/**
 * An acknowledgement lost in a crash is sent again with the next request; until then more batches are kept than needed.
 * If a consumer was set back, batches may be pruned too early; it then reads them from the ledger, like everything the
 * feed no longer has.
 */
export const REPLAYABLE = { isDurable: false } as const;

export interface Acknowledgement extends FeedMark {
  readonly organizationId: OrganizationId;
}

/**
 * Advances acknowledgements. Ignores an acknowledgement that is behind the one stored by another process with the same
 * consumer name.
 */
export async function advanceAcknowledgements(
  tx: WriteTransaction,
  follower: string,
  acknowledged: readonly Acknowledgement[],
): Promise<void> {
  for (const some of statementsOf(tx, acknowledged)) await tx.run(ADVANCE, inputOf(follower, some));
  for (const some of statementsOf(tx, acknowledged)) await tx.run(CLEAR_REACHED_HEADS, inputOf(follower, some));
}

interface AcknowledgementsInput {
  readonly follower: string;
  readonly organizationIds: readonly OrganizationId[];
  readonly numbers: readonly number[];
  readonly tokens: readonly (string | null)[];
  /** The only organization of the statement, if there are several nodes. */
  readonly organizationId: OrganizationId;
  readonly number: number;
  readonly token: string | null;
}

function inputOf(follower: string, acknowledged: readonly Acknowledgement[]): AcknowledgementsInput {
  const [first] = acknowledged;
  return {
    follower,
    organizationIds: acknowledged.map(({ organizationId }) => organizationId),
    numbers: acknowledged.map(({ number }) => number),
    tokens: acknowledged.map(({ token }) => token),
    organizationId: first!.organizationId,
    number: first!.number,
    token: first!.token,
  };
}

/** True if every other consumer has reached the head. */
const reached = (organizationId: OrganizationId, token: string) => `
  (select count(*) from feed_follower where name <> :follower) <= (
    select count(*) from feed_acknowledgement place
    where place.organization_id = ${organizationId} and place.token = ${token} and place.follower <> :follower)`;

/**
 * Clears `is_ahead` of heads that every consumer has reached, except heads that another transaction is currently
 * advancing.
 */
const CLEAR_REACHED_HEADS = statement<object, AcknowledgementsInput>({
  onOneNode: `
    update feed_head set is_ahead = false where organization_id in (
      select head.organization_id
      from unnest(:organizationIds::uuid[], :tokens::uuid[]) as item (organization_id, token)
      join feed_head head on head.organization_id = item.organization_id and head.token = item.token and head.is_ahead
      where ${reached('head.organization_id', 'head.token')} for update of head skip locked)`,
  onSeveralNodes: `
    update feed_head head set is_ahead = false
    where organization_id = :organizationId and token = :token and is_ahead and ${reached(':organizationId', ':token')}`,
});

/** Sets acknowledgements to the positions of a consumer that was set back, even if it had acknowledged more. */
export async function setAcknowledgements(
  tx: WriteTransaction,
  follower: string,
  acknowledged: readonly Acknowledgement[],
): Promise<void> {
  for (const some of statementsOf(tx, acknowledged)) await tx.run(SET, inputOf(follower, some));
}

const RAISE = 'on conflict (organization_id, follower) do update set number = excluded.number, token = excluded.token';

/**
 * `isOutdated` returns the SQL condition that a row `kept` is outdated compared to a new one; other rows are not even
 * locked.
 */
function upsert(isOutdated: (item: string) => string): Statement<AcknowledgementsInput, object> {
  return statement<object, AcknowledgementsInput>({
    onOneNode: `
      insert into feed_acknowledgement as kept (organization_id, follower, number, token)
      select organization_id, :follower, number, token
      from unnest(:organizationIds::uuid[], :numbers::bigint[], :tokens::uuid[]) as item (organization_id, number, token)
      where coalesce((select ${isOutdated('item')} from feed_acknowledgement kept
        where kept.organization_id = item.organization_id and kept.follower = :follower), true)
      order by organization_id
      ${RAISE}
      where ${isOutdated('excluded')}`,
    onSeveralNodes: `
      insert into feed_acknowledgement as kept (organization_id, follower, number, token)
      values (:organizationId, :follower, :number, :token) ${RAISE}
      where ${isOutdated('excluded')}`,
  });
}

const ADVANCE = upsert((item) => `kept.number < ${item}.number`);
const SET = upsert((item) => `(kept.number, kept.token) is distinct from (${item}.number, ${item}.token)`);

export interface FeedLag {
  /** Batches that the slowest consumer has not acknowledged; all batches if there is no consumer. */
  readonly batches: number;
  /** Age of the oldest of them. */
  readonly oldestSeconds: number;
}

const isOf = (table: string) => `(:organizationId::uuid is null or ${table}.organization_id = :organizationId)`;

const READ_FEED_LAG = statement<FeedLag, { organizationId: OrganizationId | null }>(`
  with slowest as (
    select head.organization_id, head.number as head,
      case when count(acknowledged.follower) < (select count(*) from feed_follower) then 0
        else coalesce(min(acknowledged.number), 0) end as number
    from feed_head head left join feed_acknowledgement acknowledged
      on acknowledged.organization_id = head.organization_id and ${isOf('acknowledged')}
    where ${isOf('head')} group by head.organization_id)
  select count(*)::float8 as batches,
    greatest(coalesce(extract(epoch from now() - min(batch.published_at)), 0), 0)::float8 as oldest_seconds
  from slowest join priced_batch batch on batch.organization_id = slowest.organization_id and batch.number > slowest.number
  where slowest.number <> slowest.head and ${isOf('batch')}`);

/** How far consumers are behind in the feed, for one organization or for all. */
export function readFeedLag(tx: WriteTransaction, organizationId: OrganizationId | null): Promise<FeedLag> {
  return tx.one(READ_FEED_LAG, { organizationId });
}

/** SQL for old batches that every consumer has acknowledged. `followers` and `keptSeconds` are SQL, too. */
const oldBatches = (
  followers: string,
  keptSeconds: string,
  acknowledgement = 'feed_acknowledgement',
  batches = 'priced_batch',
) => `
  select batch.organization_id, batch.number
  from (
    select organization_id, min(number) as number from ${acknowledgement}
    group by organization_id having count(*) >= ${followers}) least
  join ${batches} batch on batch.organization_id = least.organization_id and batch.number <= least.number
  where batch.published_at < now() - ${keptSeconds} * interval '1 second'`;

const PRUNE = statement<{ count: number }, { rowsMax: number; keptSeconds: number }>(`
  with old as (${oldBatches('(select count(*) from feed_follower)', ':keptSeconds')} limit :rowsMax),
  gone as (delete from priced_batch where (organization_id, number) in (select * from old) returning 1)
  select count(*)::int as count from gone`);

const COUNT_FOLLOWERS = statement<{ followers: number }>('select count(*)::int as followers from feed_follower');

const DELETE_BATCHES = statement<object, { organizationId: OrganizationId; numbers: readonly number[] }>(
  'delete from priced_batch where organization_id = :organizationId and number = any(:numbers::bigint[])',
);

/**
 * Deletes batches that every consumer has acknowledged, at most `rowsMax`, but none published in the last
 * `keptSeconds`: a consumer whose server crashes reads the last second's batches again. Returns the number of deleted
 * batches.
 */
export async function pruneFeed(database: Database, rowsMax: number, keptSeconds: number): Promise<number> {
  if (!coversAllOrganizations(database.orm)) return pruneByOrganization(database, rowsMax, keptSeconds);
  const { count } = await database.system((tx) => tx.one(PRUNE, { rowsMax, keptSeconds }));
  return count;
}

/** Deletes per organization, so that an unreachable node does not stop the others. */
async function pruneByOrganization(database: Database, rowsMax: number, keptSeconds: number): Promise<number> {
  const { followers } = await database.system((tx) => tx.one(COUNT_FOLLOWERS, {}));
  const found = await lookAcross<{ organizationId: OrganizationId; number: number }>(database, {
    tables: ['feed_acknowledgement', 'priced_batch'],
    text: (acknowledgement, batches) => `
      select organization_id, number::float8 as number
      from (${oldBatches('$3', '$2', acknowledgement, batches)}) old order by 2 limit $1`,
    parameters: [rowsMax, keptSeconds, followers],
    compare: (one, other) => one.number - other.number,
  });
  // Each node returns up to `rowsMax` rows.
  const old = found.slice(0, rowsMax);
  await database.system(async (tx) => {
    for (const [organizationId, batches] of Map.groupBy(old, (batch) => batch.organizationId))
      await tx.run(DELETE_BATCHES, { organizationId, numbers: batches.map(({ number }) => number) });
  });
  return old.length;
}
