/**
 * Maintains the rollups: deletes rows of keys that are no longer wanted, and starts backfills of keys registered late.
 */
import type { Job } from '#platform/job-loop.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { SWEEP_ROWS_PER_STEP } from '../../config.ts';
import { beginBackfills } from './backfill.step.ts';
import { sweepNext } from './sweep-key.step.ts';

const REST_MILLISECONDS = 1_000;

export function keepRollups({ database }: Pick<SubgraphDependencies, 'database'>): Job {
  return {
    name: 'keep-rollups',
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      const swept = await sweepNext(database, SWEEP_ROWS_PER_STEP);
      const begun = await beginBackfills(database);
      return swept || begun ? 'more' : 'idle';
    },
  };
}
