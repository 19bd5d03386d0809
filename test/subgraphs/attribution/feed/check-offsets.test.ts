/** The check of all offsets skips organizations that the follower is following. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { query } from '#platform/database/sql.ts';
import { createLog } from '#platform/log.ts';
import { followPricedFeed } from '../../../../subgraphs/attribution/feed/follow-priced-feed.job.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

const BOUNDS = { factsMax: 10, pairsMax: 1_000 };

let world: Attribution;
beforeEach(async () => {
  world = await startAttribution();
});
afterEach(() => world.close());

it('the check of offsets follows an organization only if its offset differs and does not advance', async () => {
  const organizationId = randomUUID();
  const { database, feed } = world;
  const publish = (batches: number) => {
    for (let batch = 0; batch < batches; batch++) feed.publish(organizationId, [aFact()]);
  };
  const facts = async () =>
    (await database.system((tx) => query<{ facts: number }>(tx, 'select count(*)::int as facts from cost_fact')))[0]!
      .facts;
  const follower = followPricedFeed({ database, gateway: feed.gateway, log: createLog('silent') }, BOUNDS);
  publish(3);
  await world.step('check-offsets');
  expect(await facts()).toBe(3);
  publish(50);
  await follower.step();
  expect(await facts()).toBe(13);
  await world.step('check-offsets');
  expect(await facts()).toBe(13);
  await world.step('check-offsets');
  expect(await facts()).toBe(53);
});
