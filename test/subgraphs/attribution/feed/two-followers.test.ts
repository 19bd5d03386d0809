/** Two followers of a few organizations: neither holds all of them while the other has none. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Job } from '#platform/job-loop.ts';
import { createLog } from '#platform/log.ts';
import { query } from '#platform/database/sql.ts';
import { followPricedFeed } from '../../../../subgraphs/attribution/feed/follow-priced-feed.job.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';
import { isOnNodes } from '../../../support/fresh-database.ts';

const ORGANIZATIONS = Array.from({ length: 4 }, () => randomUUID());

let world: Attribution;
beforeEach(async () => {
  world = await startAttribution();
});
afterEach(() => world.close());

/** A follower that pauses while it holds its offsets, until it is released. */
function aFollower() {
  const held: number[] = [];
  let arrived = () => {};
  let letGo = () => {};
  let gate = Promise.resolve();
  const gateway: GatewayClient = {
    ...world.feed.gateway,
    async execute(document, variables, principal) {
      const { places } = variables as { places?: readonly unknown[] };
      if (places) {
        held.push(places.length);
        arrived();
        await gate;
      }
      return world.feed.gateway.execute(document, variables, principal);
    },
  };
  const job: Job = followPricedFeed({ database: world.database, gateway, log: createLog('silent') });
  return {
    held,
    step: () => job.step(),
    /** Runs one step, and `meanwhile` while the step holds its offsets. */
    async stepAround(meanwhile: () => Promise<unknown>): Promise<void> {
      gate = new Promise((resolve) => (letGo = resolve));
      const holds = new Promise<void>((resolve) => (arrived = resolve));
      const stepping = job.step();
      await holds;
      await meanwhile();
      letGo();
      await stepping;
    },
  };
}

it.skipIf(isOnNodes())(
  'two followers that know of each other share the organizations, and count every fact once',
  async () => {
    const publish = () => ORGANIZATIONS.forEach((organizationId) => world.feed.publish(organizationId, [aFact()]));
    publish();
    await world.settle();
    const [one, other] = [aFollower(), aFollower()];
    publish();
    await one.stepAround(() => other.step());
    expect([one.held, other.held]).toEqual([[4], []]);
    publish();
    await other.stepAround(() => one.step());
    expect([one.held, other.held]).toEqual([[4, 2], [2]]);
    publish();
    await one.stepAround(() => other.step());
    expect([one.held, other.held]).toEqual([
      [4, 2, 2],
      [2, 2],
    ]);
    await world.settle();
    expect(
      await world.database.system((tx) =>
        query(
          tx,
          'select count(*)::int as facts, count(distinct organization_id)::int as organizations from cost_fact',
        ),
      ),
    ).toEqual([{ facts: 16, organizations: 4 }]);
  },
);
