/** Hands a follower what was priced since its position, and takes the position as its word for everything before. */
import { fail } from '../../../schema/errors.ts';
import type { FeedPosition, PricedFeedPage, ReplayPlace } from '../../../schema/priced-feed.ts';
import { now } from '../../../platform/clock.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { FEED_BATCHES_MAX, FEED_PAGE_FACTS, REPLAY_PAGE_ENTRIES } from '../config.ts';
import { acknowledge } from './feed-follower.table.ts';
import { isBeyondHorizon } from './feed-horizon.table.ts';
import { readBatches } from './priced-batch.table.ts';
import { readStableXid, replayFeed } from './replay-feed.query.ts';
import { beginReplay, parseFeedPosition } from './feed-position.ts';

export interface FeedQuery {
  readonly follower: string;
  /** Of the last batch that the follower has made its own; null: it begins. */
  readonly position?: unknown;
  readonly batchesMax: number;
}

/**
 * No batch is left out and none comes twice, whatever commits meanwhile. A follower that begins, or whose position lies before
 * what was pruned, is first brought the ledger's entries up to a boundary, then the feed from there on.
 */
export function getPricedFeed(
  context: SubgraphContext,
  { follower, position, batchesMax }: FeedQuery,
): Promise<PricedFeedPage> {
  if (batchesMax < 1 || batchesMax > FEED_BATCHES_MAX)
    fail('VALIDATION_ERROR', `batchesMax must be from 1 to ${FEED_BATCHES_MAX}`);
  if (follower.length < 1 || follower.length > 100)
    fail('VALIDATION_ERROR', 'follower must be a name of 1 to 100 characters');
  return context.database.acrossOrganizations(async (em) => {
    const place = await placeOf(em, parseFeedPosition(position));
    const past = isReplaying(place) ? await replayFeed(em, place, REPLAY_PAGE_ENTRIES) : [];
    const page =
      past.length > 0 ? { batches: past, more: true } : await readBatches(em, place, batchesMax, FEED_PAGE_FACTS);
    // Last: a row that this transaction writes gives it an id, behind which the feed would wait.
    const acknowledged = past.length > 0 ? place : { xid: place.xid, id: place.id };
    if (position || page.batches.length > 0) await acknowledge(em, follower, acknowledged, now());
    return page;
  });
}

async function placeOf(em: EntityManager, position: FeedPosition | null): Promise<FeedPosition> {
  if (position === null) return beginReplay('0', await readStableXid(em));
  if (isReplaying(position) || !(await isBeyondHorizon(em, position))) return position;
  const { xid, unfinished } = position;
  return beginReplay(unfinished ? String(BigInt(xid) - 1n) : xid, await readStableXid(em));
}

function isReplaying(position: FeedPosition): position is FeedPosition & { readonly replay: ReplayPlace } {
  return position.replay !== undefined;
}
