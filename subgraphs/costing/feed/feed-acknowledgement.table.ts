/**
 * The position each consumer last acknowledged in each organization's feed. Batches that all consumers have
 * acknowledged may be pruned.
 */
import { defineEntity, p } from '@mikro-orm/core';
import { isDistributed } from '#platform/database/nodes/distribution.ts';
import { lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { query, queryOne } from '#platform/database/sql.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { FeedMark } from '#schema/priced-feed.ts';

export const FeedAcknowledgementTable = defineEntity({
  name: 'FeedAcknowledgement',
  tableName: 'feed_acknowledgement',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    follower: p.text().primary(),
    /** The last batch acknowledged; all before it are, too. */
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
  readonly organizationId: string;
}

/** Advances acknowledgements. One that another consumer with the same name has overtaken is ignored. */
export async function advanceAcknowledgements(
  tx: WriteTransaction,
  follower: string,
  acknowledged: readonly Acknowledgement[],
): Promise<void> {
  await upsert(tx, follower, acknowledged, (item) => `kept.number < ${item}.number`);
  await clearReachedHeads(tx, follower, acknowledged);
}

/**
 * Clears `is_ahead` of heads that every consumer has reached, except heads that another transaction is currently
 * advancing.
 */
async function clearReachedHeads(
  tx: WriteTransaction,
  follower: string,
  acknowledged: readonly Acknowledgement[],
): Promise<void> {
  if (acknowledged.length === 0) return;
  if (isDistributed(tx)) {
    for (const { organizationId, token } of acknowledged)
      await query(
        tx,
        `update feed_head head set is_ahead = false where organization_id = $2 and token = $3 and is_ahead and ${reached('$2', '$3')}`,
        [follower, organizationId, token],
      );
    return;
  }
  await query(
    tx,
    `
    update feed_head set is_ahead = false where organization_id in (
      select head.organization_id
      from unnest($2::uuid[], $3::uuid[]) as item (organization_id, token)
      join feed_head head on head.organization_id = item.organization_id and head.token = item.token and head.is_ahead
      where ${reached('head.organization_id', 'head.token')} for update of head skip locked)`,
    [follower, acknowledged.map(({ organizationId }) => organizationId), acknowledged.map(({ token }) => token)],
  );
}

/** True if every consumer except $1 has reached the head. */
const reached = (organizationId: string, token: string) => `
  (select count(*) from feed_follower where name <> $1) <= (
    select count(*) from feed_acknowledgement place
    where place.organization_id = ${organizationId} and place.token = ${token} and place.follower <> $1)`;

/** Sets acknowledgements to the consumer's positions, even if it had been further: it was set back. */
export async function setAcknowledgements(
  tx: WriteTransaction,
  follower: string,
  acknowledged: readonly Acknowledgement[],
): Promise<void> {
  const isOther = (item: string) => `(kept.number, kept.token) is distinct from (${item}.number, ${item}.token)`;
  await upsert(tx, follower, acknowledged, isOther);
}

const RAISE = 'on conflict (organization_id, follower) do update set number = excluded.number, token = excluded.token';

/**
 * `isOutdated` returns the SQL condition that a row `kept` is outdated compared to a new one; other rows are not even
 * locked.
 */
async function upsert(
  tx: WriteTransaction,
  follower: string,
  acknowledged: readonly Acknowledgement[],
  isOutdated: (item: string) => string,
): Promise<void> {
  if (acknowledged.length === 0) return;
  if (isDistributed(tx)) {
    for (const { organizationId, number, token } of acknowledged)
      await query(
        tx,
        `
        insert into feed_acknowledgement as kept (organization_id, follower, number, token) values ($1, $2, $3, $4) ${RAISE}
        where ${isOutdated('excluded')}`,
        [organizationId, follower, number, token],
      );
    return;
  }
  await query(
    tx,
    `
    insert into feed_acknowledgement as kept (organization_id, follower, number, token)
    select organization_id, $1, number, token
    from unnest($2::uuid[], $3::bigint[], $4::uuid[]) as item (organization_id, number, token)
    where coalesce((select ${isOutdated('item')} from feed_acknowledgement kept
      where kept.organization_id = item.organization_id and kept.follower = $1), true)
    order by organization_id
    ${RAISE}
    where ${isOutdated('excluded')}`,
    [
      follower,
      acknowledged.map(({ organizationId }) => organizationId),
      acknowledged.map(({ number }) => number),
      acknowledged.map(({ token }) => token),
    ],
  );
}

export interface FeedLag {
  /** Batches that the slowest consumer has not acknowledged; all batches if there is no consumer. */
  readonly batches: number;
  /** Age of the oldest of them. */
  readonly oldestSeconds: number;
}

/** For one organization, or for all. */
export async function readFeedLag(tx: WriteTransaction, organizationId: string | null): Promise<FeedLag> {
  const isOf = (table: string) => `($1::uuid is null or ${table}.organization_id = $1)`;
  return queryOne<FeedLag>(
    tx,
    `
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
    where slowest.number <> slowest.head and ${isOf('batch')}`,
    [organizationId],
  );
}

/**
 * Deletes batches that every consumer has acknowledged, at most `rowsMax`, but none published in the last
 * `keptSeconds`: a consumer whose server crashes reads the last second's batches again. Returns the number of deleted
 * batches.
 */
export async function pruneFeed(database: Database, rowsMax: number, keptSeconds: number): Promise<number> {
  if (isDistributed(database.orm)) return pruneOnNodes(database, rowsMax, keptSeconds);
  const { count } = await database.system((tx) =>
    queryOne<{ count: number }>(
      tx,
      `
      with old as (${oldBatches('(select count(*) from feed_follower)')} limit $1),
      gone as (delete from priced_batch where (organization_id, number) in (select * from old) returning 1)
      select count(*)::int as count from gone`,
      [rowsMax, keptSeconds],
    ),
  );
  return count;
}

/** Batches older than $2 seconds. `followers`: SQL for the number of consumers. */
const oldBatches = (followers: string, acknowledgement = 'feed_acknowledgement', batches = 'priced_batch') => `
  select batch.organization_id, batch.number
  from (
    select organization_id, min(number) as number from ${acknowledgement}
    group by organization_id having count(*) >= ${followers}) least
  join ${batches} batch on batch.organization_id = least.organization_id and batch.number <= least.number
  where batch.published_at < now() - $2 * interval '1 second'`;

/** Deletes per organization, even if a node is unreachable. */
async function pruneOnNodes(database: Database, rowsMax: number, keptSeconds: number): Promise<number> {
  const { followers } = await database.system((tx) =>
    queryOne<{ followers: number }>(tx, 'select count(*)::int as followers from feed_follower'),
  );
  const found = await lookAcross<{ organizationId: string; number: number }>(database, {
    tables: ['feed_acknowledgement', 'priced_batch'],
    text: (acknowledgement, batches) => `
      select organization_id, number::float8 as number
      from (${oldBatches('$3', acknowledgement, batches)}) old order by 2 limit $1`,
    parameters: [rowsMax, keptSeconds, followers],
    compare: (one, other) => one.number - other.number,
  });
  // Each node returns up to the limit.
  const old = found.slice(0, rowsMax);
  await database.system(async (tx) => {
    for (const [organizationId, batches] of Map.groupBy(old, (batch) => batch.organizationId))
      await query(tx, 'delete from priced_batch where organization_id = $1 and number = any($2::bigint[])', [
        organizationId,
        batches.map(({ number }) => number),
      ]);
  });
  return old.length;
}
