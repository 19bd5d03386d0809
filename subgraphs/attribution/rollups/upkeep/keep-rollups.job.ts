/**
 * Maintains the rollups: deletes rows of keys that are no longer wanted, starts backfills of keys registered late, and
 * sums the earlier days of end users that have become large.
 */
import type { Job } from '#platform/job-loop.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { LARGE_END_USER_FACTS_PER_STEP, SWEEP_ROWS_PER_STEP } from '../../config.ts';
import { beginBackfills } from './backfill.step.ts';
import { sumNextLargeEndUser } from './sum-large-end-user.step.ts';
import { sweepNext } from './sweep-key.step.ts';

const REST_MILLISECONDS = 1_000;

export function keepRollups({ database }: Pick<SubgraphDependencies, 'database'>): Job {
  return {
    name: 'keep-rollups',
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      const swept = await sweepNext(database, SWEEP_ROWS_PER_STEP);
      const begun = await beginBackfills(database);
      const summed = await sumNextLargeEndUser(database, LARGE_END_USER_FACTS_PER_STEP);
      return swept || begun || summed ? 'more' : 'idle';
    },
  };
}
