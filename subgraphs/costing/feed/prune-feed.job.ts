/** Deletes feed batches that every consumer has acknowledged; the ledger still has their content. */
import type { Database } from '#platform/database/open-database.ts';
import { type Job, UPKEEP_SHARE } from '#platform/job-loop.ts';
import { FEED_KEPT_SECONDS, FEED_PRUNE_ROWS, FEED_PRUNE_SECONDS } from '../config.ts';
import { pruneFeed } from './feed-acknowledgement.table.ts';

export interface PruneFeedOptions {
  readonly database: Database;
  readonly keptSeconds?: number;
}

export function pruneFeedJob({ database, keptSeconds = FEED_KEPT_SECONDS }: PruneFeedOptions): Job {
  return {
    name: 'prune-feed',
    restMilliseconds: FEED_PRUNE_SECONDS * 1_000,
    share: UPKEEP_SHARE,
    async step() {
      const count = await pruneFeed(database, FEED_PRUNE_ROWS, keptSeconds);
      return count === FEED_PRUNE_ROWS ? 'more' : 'idle';
    },
  };
}
