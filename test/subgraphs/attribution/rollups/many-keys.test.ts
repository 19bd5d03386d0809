/** An organization with many dimensions: its answers stay exact, and its facts hold up no one. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { query } from '../../../../platform/database/sql.ts';
import type { CostFact, PricedBatch } from '../../../../schema/priced-feed.ts';
import { DIMENSIONS_MAX } from '../../../../subgraphs/attribution/config.ts';
import { followPricedFeed } from '../../../../subgraphs/attribution/feed/follow-priced-feed.job.ts';
import { registerDimension } from '../../../../subgraphs/attribution/dimensions/register-dimension.operation.ts';
import { retireDimension } from '../../../../subgraphs/attribution/dimensions/retire-dimension.operation.ts';
import { verifyRollups } from '../../../../subgraphs/attribution/rollups/verify-rollups.operation.ts';
import { planSlices } from '../../../../subgraphs/attribution/rollups/plan-slices.ts';
import { aFact } from '../a-fact.ts';
import { startAttribution, type Attribution } from '../attribution-builder.ts';

describe('the transactions of a page', () => {
  const batch = (organizationId: string, facts: number, from = 0): PricedBatch => ({
    organizationId,
    endUsers: [],
    position: { xid: '1', id: '1' },
    facts: Array.from({ length: facts }, (_, index) => ({ eventId: `${organizationId}${from + index}` }) as CostFact),
  });
  const shape = (slices: ReturnType<typeof planSlices>) =>
    slices.map((portions) => portions.map(({ organizationId, facts }) => `${organizationId}${facts.length}`).join(' '));

  it('hold a bounded number of facts, and of pairs with keys', () => {
    expect(
      shape(
        planSlices([batch('a', 4), batch('a', 6, 4), batch('a', 20, 10)], () => 1, { factsMax: 12, pairsMax: 1_000 }),
      ),
    ).toEqual(['a12', 'a12', 'a6']);
    expect(shape(planSlices([batch('a', 10)], () => 50, { factsMax: 1_000, pairsMax: 200 }))).toEqual([
      'a4',
      'a4',
      'a2',
    ]);
    expect(shape(planSlices([batch('a', 2)], () => 500, { factsMax: 1_000, pairsMax: 200 }))).toEqual(['a1', 'a1']);
    expect(planSlices([], () => 8, { factsMax: 1, pairsMax: 1 })).toEqual([]);
    expect(shape(planSlices([batch('a', 0)], () => 8, { factsMax: 1, pairsMax: 1 }))).toEqual(['a0']);
  });

  it('begin with the organizations that have the least', () => {
    const keys = (organizationId: string) => (organizationId === 'greedy' ? 50 : 8);
    expect(
      shape(
        planSlices([batch('greedy', 30), batch('b', 10), batch('greedy', 10, 30), batch('c', 3)], keys, {
          factsMax: 100,
          pairsMax: 1_000,
        }),
      ),
    ).toEqual(['c3 b10 greedy17', 'greedy20', 'greedy3']);
  });

  it("hold every fact and every end user once, in each organization's order", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(20)), { maxLength: 12 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 200 }),
        (sizes, factsMax, pairsMax) => {
          const batches = sizes.map(([organizationId, count], index) => ({
            ...batch(organizationId, count, index * 100),
            endUsers: [{ externalId: `${index}`, firstSeenAt: '' }],
          }));
          const portions = planSlices(batches, () => 8, { factsMax, pairsMax }).flat();
          for (const id of ['a', 'b', 'c']) {
            const of = <T>(all: readonly { organizationId: string }[], what: (one: never) => readonly T[]) =>
              all.filter(({ organizationId }) => organizationId === id).flatMap((one) => what(one as never));
            expect(of(portions, ({ facts }: PricedBatch) => facts)).toEqual(
              of(batches, ({ facts }: PricedBatch) => facts),
            );
            expect(of(portions, ({ endUsers }: PricedBatch) => endUsers)).toEqual(
              of(batches, ({ endUsers }: PricedBatch) => endUsers),
            );
          }
        },
      ),
    );
  });
});

describe('with a database', () => {
  let world: Attribution;
  const greedy = randomUUID();
  const other = randomUUID();
  beforeEach(async () => {
    world = await startAttribution();
  });
  afterEach(() => world.close());

  const rows = <Row>(sql: string, parameters: unknown[] = []) =>
    world.database.acrossOrganizations((em) => query<Row>(em, sql, parameters));
  /** As if registered before dimensions were bounded. */
  const rollUp = (keys: number) =>
    rows(
      "insert into rolled_key (organization_id, key, state, unswept) select $1, 'key-' || number, 'ready', false from generate_series(1, $2::int) number returning 1",
      [greedy, keys],
    );

  it('registers so many dimensions and no more, counts them under a lock, and takes another for one that is retired', async () => {
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

  it("takes a greedy organization's facts in many transactions, after those of others, and counts each once", async () => {
    await rollUp(400);
    world.feed.publish(
      greedy,
      Array.from({ length: 60 }, () => aFact()),
    );
    world.feed.publish(other, [aFact()]);
    const job = followPricedFeed(
      { database: world.database, gateway: world.feed.gateway },
      { factsMax: 2_000, pairsMax: 8_000 },
    );
    while ((await job.step()) === 'more');
    const arrivals = await rows<{ mine: boolean; facts: number }>(
      'select organization_id = $1 as mine, count(*)::int as facts from cost_fact group by arrival, 1 order by arrival, 1',
      [greedy],
    );
    expect(arrivals[0]).toEqual({ mine: false, facts: 1 });
    expect(Math.max(...arrivals.map(({ facts }) => facts))).toBeLessThanOrEqual(20);
    expect(arrivals.reduce((total, { facts }) => total + facts, 0)).toBe(61);
    expect((await verifyRollups(world.context(null))).flatMap(({ differences }) => differences)).toEqual([]);
  });

  it('repeats a page that was left in the middle, and counts nothing twice', async () => {
    world.feed.publish(
      greedy,
      Array.from({ length: 30 }, () => aFact()),
    );
    const broken = followPricedFeed(
      { gateway: world.feed.gateway, database: failingAfter(3) },
      { factsMax: 10, pairsMax: 1_000 },
    );
    await expect(broken.step()).rejects.toThrow('The power went out');
    expect(await rows('select count(*)::int as facts from cost_fact')).toEqual([{ facts: 10 }]);
    expect(await rows('select position from feed_position')).toEqual([{ position: null }]);
    await world.settle();
    expect(await rows('select count(*)::int as facts, sum(total_cost)::text as cost from cost_fact')).toEqual([
      { facts: 30, cost: '15.000000000000000' },
    ]);
    expect((await verifyRollups(world.context(null))).flatMap(({ differences }) => differences)).toEqual([]);
  });

  /** Position, keys and the first slice are transactions that work. */
  function failingAfter(transactions: number): Attribution['database'] {
    let left = transactions;
    return {
      ...world.database,
      acrossOrganizations: (work) =>
        left-- > 0 ? world.database.acrossOrganizations(work) : Promise.reject(new Error('The power went out')),
    };
  }

  it('rolls up what facts lack a key exactly, whatever classes they report and whatever they name', async () => {
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
      { numRuns: 40 },
    );
  });
});
