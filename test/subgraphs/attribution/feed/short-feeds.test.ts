/** An organization with few facts does not wait for a step of one with many. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { query } from '#platform/database/sql.ts';
import { createLog } from '#platform/log.ts';
import { feedLanes } from '../../../../subgraphs/attribution/feed/feed-lanes.step.ts';
import { followPricedFeed } from '../../../../subgraphs/attribution/feed/follow-priced-feed.job.ts';
import { followShortFeeds } from '../../../../subgraphs/attribution/feed/follow-short-feeds.job.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

const LARGE = randomUUID();
const SMALL = randomUUID();
/** A step takes at most 12 facts; an organization with more than 3 has many. */
const BOUNDS = { factsMax: 12, pairsMax: 1_000 };

let world: Attribution;
beforeEach(async () => {
  world = await startAttribution();
});
afterEach(() => world.close());

const facts = async () =>
  Object.fromEntries(
    (
      await world.database.system((tx) =>
        query<{ id: string; facts: number }>(
          tx,
          'select organization_id as id, count(*)::int as facts from cost_fact group by 1',
        ),
      )
    ).map(({ id, facts: count }) => [id, count]),
  );
const publish = (organizationId: string, count: number) =>
  world.feed.publish(
    organizationId,
    Array.from({ length: count }, () => aFact()),
  );

/** Both followers of a process. The main one can be stopped just before it commits. */
function aProcess() {
  const { database, feed } = world;
  const log = createLog('silent');
  let beforeCommit = async () => {};
  const gated: Attribution['database'] = {
    ...database,
    system: (work, options) =>
      database.system(async (tx) => {
        const done = await work(tx);
        await beforeCommit();
        return done;
      }, options),
  };
  const lanes = feedLanes(feed);
  const main = followPricedFeed({ database: gated, gateway: feed.gateway, log }, BOUNDS, lanes);
  const short = followShortFeeds({ database, gateway: feed.gateway, log }, lanes, BOUNDS);
  return {
    main,
    short,
    /** Runs a step of the main follower, and `meanwhile` before it commits. */
    async stepAround(meanwhile: () => Promise<unknown>): Promise<void> {
      let isFirst = true;
      beforeCommit = async () => {
        if (!isFirst) return;
        isFirst = false;
        await meanwhile();
      };
      await main.step();
    },
  };
}

it('the facts of a short feed are written during a step of the main follower', async () => {
  const { main, short, stepAround } = aProcess();
  publish(LARGE, 100);
  await main.step();
  expect(await facts()).toEqual({ [LARGE]: 12 });
  await stepAround(async () => {
    publish(SMALL, 2);
    expect(await short.step()).toBe('more');
    expect(await facts()).toEqual({ [LARGE]: 12, [SMALL]: 2 });
  });
  expect(await facts()).toEqual({ [LARGE]: 24, [SMALL]: 2 });
  await world.settle();
  expect(await facts()).toEqual({ [LARGE]: 100, [SMALL]: 2 });
});

it('a short feed is not held up by a step of the main follower, even if both were waiting', async () => {
  const { main, short, stepAround } = aProcess();
  publish(LARGE, 100);
  publish(SMALL, 1);
  await main.step();
  expect(await facts()).toEqual({ [SMALL]: 1 });
  publish(SMALL, 1);
  await stepAround(async () => {
    expect(await short.step()).toBe('more');
    expect(await facts()).toEqual({ [SMALL]: 2 });
  });
  expect(await facts()).toEqual({ [LARGE]: 12, [SMALL]: 2 });
});

it('a short feed is left to the main follower while that one is free', async () => {
  const { main, short } = aProcess();
  publish(SMALL, 2);
  expect(await short.step()).toBe('idle');
  expect(await facts()).toEqual({});
  await main.step();
  expect(await facts()).toEqual({ [SMALL]: 2 });
});

it('the follower of short feeds skips an organization with many facts and leaves it to the main follower', async () => {
  const { main, short, stepAround } = aProcess();
  const other = randomUUID();
  publish(LARGE, 100);
  await main.step();
  await stepAround(async () => {
    publish(other, 50);
    publish(SMALL, 1);
    await short.step();
    await short.step();
    expect(await facts()).toEqual({ [LARGE]: 12, [SMALL]: 1 });
  });
  await world.settle();
  expect(await facts()).toEqual({ [LARGE]: 100, [other]: 50, [SMALL]: 1 });
});
