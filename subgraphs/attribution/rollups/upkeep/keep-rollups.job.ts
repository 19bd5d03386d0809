/** Keeps the rollups to what is wanted: sweeps keys that are given up, and backfills keys that were registered late. */
import type { Job } from '../../../../platform/job-loop.ts';
import type { SubgraphDependencies } from '../../../../platform/subgraph/subgraph.ts';
import { BACKFILL_FACTS_PER_STEP, SWEEP_ROWS_PER_STEP } from '../../config.ts';
import { backfillKey } from './backfill-key.step.ts';
import { sweepKey } from './sweep-key.step.ts';

const REST_MILLISECONDS = 500;

export function keepRollups({ database }: Pick<SubgraphDependencies, 'database'>): Job {
  return {
    name: 'keep-rollups',
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      const swept = await database.acrossOrganizations((em) => sweepKey(em, SWEEP_ROWS_PER_STEP));
      const filled = await database.acrossOrganizations((em) => backfillKey(em, { factsMax: BACKFILL_FACTS_PER_STEP }));
      return swept || filled ? 'more' : 'idle';
    },
  };
}
