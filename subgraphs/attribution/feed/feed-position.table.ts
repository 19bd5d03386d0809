/** Where the follower stands. Its row is also the lock under which facts arrive: one transaction at a time. */
import { defineEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query, queryOne } from '../../../platform/database/sql.ts';
import { FOLLOWER } from '../config.ts';

export const FeedPositionTable = defineEntity({
  name: 'FeedPosition',
  tableName: 'feed_position',
  properties: {
    follower: p.text().primary(),
    /** As costing gave it; null before the first batch. */
    position: p.json<unknown>().nullable(),
    /** Number of the last transaction that brought facts; each fact keeps its own. */
    arrival: p.bigint(),
    /** Batches that were known and not applied when the follower last looked. */
    batchesBehind: p.bigint(),
  },
});

/** Where the follower stands, or null before the first batch. Takes no lock. */
export async function readPosition(em: EntityManager): Promise<{ position: unknown; batchesBehind: number } | null> {
  const [row] = await query<{ position: unknown; batchesBehind: number }>(
    em,
    'select position, batches_behind::int from feed_position where follower = $1',
    [FOLLOWER],
  );
  return row ?? null;
}

/**
 * Holds the row until the transaction ends: anyone who has it is the only one to bring facts, or to draw a boundary
 * between those that came and those that will. `asExpected` says whether the follower still stands where it did.
 */
export async function lockPosition(
  em: EntityManager,
  expected: unknown = null,
): Promise<{ arrival: string; asExpected: boolean }> {
  await query(
    em,
    `
    insert into feed_position (follower, position, arrival, batches_behind) values ($1, null, 0, 0)
    on conflict (follower) do nothing`,
    [FOLLOWER],
  );
  return queryOne(
    em,
    `
    select arrival::text, position is not distinct from $2::jsonb as as_expected
    from feed_position where follower = $1 for update`,
    [FOLLOWER, expected === null ? null : JSON.stringify(expected)],
  );
}

export async function movePosition(
  em: EntityManager,
  to: { position: unknown; arrival: string; batchesBehind: number },
): Promise<void> {
  await query(
    em,
    'update feed_position set position = $2::jsonb, arrival = $3, batches_behind = $4 where follower = $1',
    [FOLLOWER, to.position === null ? null : JSON.stringify(to.position), to.arrival, to.batchesBehind],
  );
}

/** The follower has looked and found nothing more. */
export async function recordCaughtUp(em: EntityManager): Promise<void> {
  await query(em, 'update feed_position set batches_behind = 0 where follower = $1 and batches_behind <> 0', [
    FOLLOWER,
  ]);
}
