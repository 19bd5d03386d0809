import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '#platform/job-loop.ts';
import { makeSubgraph, type SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { startJobs } from '../../../../start/start-jobs.ts';
import { followPricedFeed } from '../../../../subgraphs/attribution/feed/follow-priced-feed.job.ts';
import { costing } from '../../../../subgraphs/costing/main.ts';
import { call, log, type Costing, startCosting } from '../costing-builder.ts';

const HOUR_MILLISECONDS = 3_600_000;

let pricing: Costing;
beforeEach(async () => {
  pricing = await startCosting();
});
afterEach(() => pricing.close());

describe('announced work', () => {
  it('starts at once in pricing and in consumers of the feed, although none of them would poll for an hour', async () => {
    const dependencies = { database: pricing.database, log } as SubgraphDependencies;
    let looks = 0;
    const follower: Job = {
      ...followPricedFeed(dependencies),
      step: () => {
        looks += 1;
        return Promise.resolve('idle');
      },
    };
    const subgraph = makeSubgraph(costing, dependencies);
    const jobs = [...subgraph.jobs, follower].map((job) => ({ ...job, restMilliseconds: HOUR_MILLISECONDS }));
    const running = await startJobs([{ ...subgraph, jobs }], log);
    try {
      await pricing.send([call({ cost_override: 1 })]);
      await expect.poll(() => pricing.costs().then(Object.values)).toEqual(['1']);
      const before = looks;
      await pricing.send([call({ cost_override: 2 })]);
      await expect.poll(() => looks).toBeGreaterThan(before);
      // The first notification may still have caused this step.
      await expect.poll(() => pricing.costs().then((costs) => Object.values(costs).sort())).toEqual(['1', '2']);
    } finally {
      await running.stop();
    }
  });
});
