/** An organization with many dimensions: its figures stay exact, and its facts delay nobody else's. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { query } from '#platform/database/sql.ts';
import { createLog } from '#platform/log.ts';
import { DIMENSIONS_MAX } from '../../../../subgraphs/attribution/config.ts';
import { followPricedFeed } from '../../../../subgraphs/attribution/feed/follow-priced-feed.job.ts';
import { registerDimension } from '../../../../subgraphs/attribution/dimensions/register-dimension.operation.ts';
import { retireDimension } from '../../../../subgraphs/attribution/dimensions/retire-dimension.operation.ts';
import { verifyRollups } from '../../../../subgraphs/attribution/rollups/verify-rollups.operation.ts';
import { aFact } from '../a-fact.ts';
import { startAttribution, type Attribution } from '../attribution-builder.ts';
import { runs } from '../../../support/property-runs.ts';

describe('an organization with many keys or facts', () => {
  let world: Attribution;
  const greedy = randomUUID();
  const other = randomUUID();
  beforeEach(async () => {
    world = await startAttribution();
  });
  afterEach(() => world.close());

  const rows = <Row>(sql: string, parameters: unknown[] = []) =>
    world.database.system((tx) => query<Row>(tx, sql, parameters));
  /** As if registered before the number of dimensions was limited. */
  const rollUp = (keys: number) =>
    rows(
      "insert into rolled_key (organization_id, key, state, unswept) select $1, 'key-' || number, 'ready', false from generate_series(1, $2::int) number returning 1",
      [greedy, keys],
    );

  it('can register a limited number of dimensions, even concurrently, and another one for each that it retires', async () => {
    const context = world.context(greedy);
    const attempts = await Promise.allSettled(
      Array.from({ length: DIMENSIONS_MAX + 5 }, (_, index) => registerDimension(context, `key-${index}`, null)),
    );
    const refused = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason as unknown] : []));
    expect(refused).toHaveLength(5);
    expect(refused[0]).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(`${DIMENSIONS_MAX} dimensions`),
    });
    const [{ key }] = (await rows<{ key: string }>('select key from dimension order by key limit 1')) as [
      { key: string },
    ];
    await registerDimension(context, key, 'A new label');
    await expect(registerDimension(context, 'one-more', null)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await retireDimension(context, key);
    await registerDimension(context, 'one-more', null);
    await registerDimension(world.context(other), 'of-another', null);
  });

  it('has its facts stored in many transactions, in turn with others, and each counted once', async () => {
    await rollUp(400);
    const facts = (count: number) => Array.from({ length: count }, () => aFact());
    world.feed.publish(greedy, facts(60));
    world.feed.publish(other, facts(1));
    const { database, feed } = world;
    const bounds = { factsMax: 2_000, pairsMax: 8_000 };
    const job = followPricedFeed({ database, gateway: feed.gateway, log: createLog('silent') }, bounds);
    const others: number[] = [];
    while ((await job.step()) === 'more') {
      const [found] = await rows<{ count: number }>(
        'select count(*)::int as count from cost_fact where organization_id = $1',
        [other],
      );
      others.push(found?.count ?? 0);
    }
    expect(others.slice(0, 2)).toContain(1);
    const arrivals = await rows<{ facts: number }>(
      'select count(*)::int as facts from cost_fact where organization_id = $1 group by arrival order by arrival',
      [greedy],
    );
    expect(Math.max(...arrivals.map((arrival) => arrival.facts))).toBeLessThanOrEqual(20);
    expect(arrivals.reduce((total, arrival) => total + arrival.facts, 0)).toBe(60);
    expect((await verifyRollups(world.context(null))).flatMap(({ differences }) => differences)).toEqual([]);
  });

  it('does not delay an organization with few facts, whose facts are stored before and between its steps', async () => {
    const publish = (organizationId: string, count: number) =>
      world.feed.publish(
        organizationId,
        Array.from({ length: count }, () => aFact()),
      );
    publish(greedy, 200);
    publish(other, 1);
    const { database, feed } = world;
    const bounds = { factsMax: 40, pairsMax: 1_000 };
    const job = followPricedFeed({ database, gateway: feed.gateway, log: createLog('silent') }, bounds);
    const stored: { many: number; few: number }[] = [];
    for (let step = 0; step < 6; step++) {
      await job.step();
      const [found] = await rows<{ many: number; few: number }>(
        'select count(*) filter (where organization_id = $1)::int as many, count(*) filter (where organization_id = $2)::int as few from cost_fact',
        [greedy, other],
      );
      stored.push(found!);
      publish(other, 1);
    }
    // One more event of the other organization is published after each step.
    for (const [step, { many, few }] of stored.entries()) {
      expect(few).toBeGreaterThanOrEqual(Math.max(step, 1));
      expect(many).toBeGreaterThanOrEqual(Math.floor((step + 1) / 2) * 40);
    }
    await world.settle();
    expect((await verifyRollups(world.context(null))).flatMap(({ differences }) => differences)).toEqual([]);
  });

  it('continues in the middle of a partly stored batch, and counts nothing twice', async () => {
    world.feed.publish(
      greedy,
      Array.from({ length: 30 }, () => aFact()),
    );
    const bounds = { factsMax: 10, pairsMax: 1_000 };
    const { database, feed } = world;
    const log = createLog('silent');
    const job = followPricedFeed({ database, gateway: feed.gateway, log }, bounds);
    await job.step();
    expect(await rows('select number::int as number, taken from feed_place')).toEqual([{ number: 0, taken: 10 }]);
    await world.settle();
    expect(await rows('select count(*)::int as facts, sum(total_cost)::text as cost from cost_fact')).toEqual([
      { facts: 30, cost: '15.000000000000000' },
    ]);
    expect((await verifyRollups(world.context(null))).flatMap(({ differences }) => differences)).toEqual([]);
  });

  it('starts a partly stored batch over if costing has a different batch with the same number', async () => {
    const kept = aFact();
    world.feed.publish(greedy, [kept]);
    await world.settle();
    world.feed.publish(
      greedy,
      Array.from({ length: 30 }, () => aFact()),
    );
    const { database, feed } = world;
    const bounds = { factsMax: 10, pairsMax: 1_000 };
    await followPricedFeed({ database, gateway: feed.gateway, log: createLog('silent') }, bounds).step();
    world.feed.forget(greedy, 1);
    const other = Array.from({ length: 20 }, () => aFact({ totalCost: '2' }));
    world.feed.publish(greedy, other);
    await world.settle();
    expect(await rows('select event_id as id from cost_fact order by 1')).toEqual(
      [kept, ...other].map(({ eventId }) => ({ id: eventId })).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
    expect((await verifyRollups(world.context(null))).flatMap(({ differences }) => differences)).toEqual([]);
  });

  it('has exact rollups of facts that lack some of its keys, whatever classes and values they contain', async () => {
    await rollUp(3);
    const amount = fc.constantFrom('0', '0.000000000000001', '1.5', '123456789.123456789012345', '-2.25');
    const tokens = fc.option(fc.integer({ min: 0, max: 3 }), { nil: null });
    const fact = fc.record({
      dimensions: fc.dictionary(
        fc.constantFrom('key-1', 'key-2', 'key-3', 'model', '', 'agent_id', 'else'),
        fc.constantFrom('x', 'y', 'Unassigned', ''),
      ),
      totalCost: amount,
      cacheReadCost: fc.option(amount, { nil: null }),
      cacheCreationCost: fc.option(amount, { nil: null }),
      reasoningTokens: tokens,
      cacheReadInputTokens: tokens,
      sequence: fc.constantFrom(0, 1),
      eventTime: fc.constantFrom('2026-03-10T10:30:00Z', '2026-03-10T11:00:00Z', '2026-03-11T00:00:00Z'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fact, { minLength: 1, maxLength: 12 }), async (facts) => {
        world.feed.publish(
          greedy,
          facts.map((input) => aFact(input)),
        );
        await world.step('follow-priced-feed');
        expect((await verifyRollups(world.context(greedy))).flatMap(({ differences }) => differences)).toEqual([]);
      }),
      runs(12, { nightly: 100 }),
    );
  });
});
