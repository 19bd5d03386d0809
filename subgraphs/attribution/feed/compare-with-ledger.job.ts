/**
 * Makes an organization's facts match costing's ledger, a page at a time, after one of the two databases was restored.
 * New facts still arrive through the feed.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { isContentError } from '#platform/content-error.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { Job } from '#platform/job-loop.ts';
import { comparePage } from './compare-page.step.ts';
import { findReplaying, claimOffsets, advanceOffsets } from './feed-offset.table.ts';
import type { FollowerDependencies } from './follow-feeds.step.ts';

const REST_MILLISECONDS = 1_000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

export function compareWithLedger(dependencies: FollowerDependencies): Job {
  const { database, log } = dependencies;
  /** The organization processed last. */
  let turn = BEFORE_ALL;
  return {
    name: 'compare-with-ledger',
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      for (const organizationId of await findReplaying(database, turn))
        if (await compareOrSetAside(organizationId)) return 'more';
      return 'idle';
    },
  };

  async function compareOrSetAside(organizationId: OrganizationId): Promise<boolean> {
    try {
      return await database.system((tx) => compare(tx, organizationId, false));
    } catch (error) {
      if (!isContentError(error)) throw error;
      log.warn({ err: error, organizationId }, 'A batch of ledger facts could not be applied');
      return database.system((tx) => compare(tx, organizationId, true));
    }
  }

  /** False if the comparison is complete, or if another transaction holds the offset. */
  async function compare(tx: WriteTransaction, organizationId: OrganizationId, isCareful: boolean): Promise<boolean> {
    const [place] = await claimOffsets(tx, [organizationId], 1);
    if (!place?.replay) return false;
    turn = organizationId;
    const { arrival, evidence, replay } = await comparePage(tx, dependencies, place, place.replay, isCareful);
    await advanceOffsets(tx, [{ ...place, arrival, evidence, replay }]);
    return true;
  }
}
