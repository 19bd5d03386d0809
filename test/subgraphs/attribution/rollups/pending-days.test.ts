/** Facts that are spread over many hours are rolled up later, by day. Every figure is exact at every moment. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { query } from '#platform/database/sql.ts';
import type { CostFact } from '#schema/priced-feed.ts';
import { claimOffsets } from '../../../../subgraphs/attribution/feed/feed-offset.table.ts';
import { rollUpNext } from '../../../../subgraphs/attribution/feed/roll-up-next.step.ts';
import { fixedBound } from '../../../../subgraphs/attribution/feed/timed-bound.ts';
import { startRebuild } from '../../../../subgraphs/attribution/feed/start-rebuild.operation.ts';
import { rolledUpFacts } from '../../../../subgraphs/attribution/rollups/pending-day.table.ts';
import { backfillKey } from '../../../../subgraphs/attribution/rollups/upkeep/backfill-key.step.ts';
import { sweepNext } from '../../../../subgraphs/attribution/rollups/upkeep/sweep-key.step.ts';
import { readOwnDays } from '../../../../subgraphs/attribution/verification/day-figures.query.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';
import { costOf, groups, valueOf, within } from '../plain-model.ts';

const REGISTER = 'mutation { dimensionRegister(input: { key: "late" }) { dimension { key } userErrors { message } } }';
const FIGURES = `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
  costsByAttribution(key: "agent_id") { items { attributionValue totalCost eventCount } }
  late: costsByAttribution(key: "late") { items { attributionValue totalCost eventCount } }
  chargeDays { nodes { day quantity amount } }
  costTrend(granularity: HOUR) { series { points { cost } } } } }`;
const DAY = { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' };
const ODD = { start: '2026-03-01T10:20:00.000Z', end: '2026-03-03T05:40:00.000Z' };

const HOUR_MS = 3_600_000;
const FIRST_MS = Date.UTC(2026, 2, 1);
/** Facts of 72 hours, in no order. */
const fact = fc
  .record({
    eventId: fc.uuid(),
    hour: fc.nat(71),
    minute: fc.nat(59),
    agent: fc.constantFrom('a', 'b', null),
    late: fc.constantFrom('x', null),
    units: fc.nat(999_999),
  })
  .map(({ eventId, hour, minute, agent, late, units }) =>
    aFact({
      eventId,
      eventTime: new Date(FIRST_MS + hour * HOUR_MS + minute * 60_000).toISOString(),
      totalCost: `0.${String(units).padStart(15, '0')}`,
      dimensions: { ...(agent && { agent_id: agent }), ...(late && { late }) },
    }),
  );
const batch = fc.array(fact, { minLength: 60, maxLength: 80, size: 'max' });

type Step =
  | 'roll up'
  | 'roll up a part'
  | 'register'
  | 'sweep'
  | 'backfill'
  | 'rebuild'
  | 'forget'
  | readonly CostFact[];
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: batch },
  {
    weight: 7,
    arbitrary: fc.constantFrom<Step>('roll up', 'roll up a part', 'register', 'sweep', 'backfill', 'rebuild', 'forget'),
  },
);

describe('pending days', () => {
  let world: Attribution;
  beforeAll(async () => {
    world = await startAttribution();
  });
  afterAll(() => world.close());

  const rollUp = (stepFacts: number) =>
    rollUpNext(world.database, { factsMax: 1, quietSeconds: 0 }, fixedBound(stepFacts));
  const rows = <Row>(sql: string, parameters: unknown[]) =>
    world.database.system((tx) => query<Row>(tx, sql, parameters));
  const pending = (organizationId: string) =>
    rows<{ day: string; facts: number }>(
      'select day::text, facts from pending_day where organization_id = $1 order by day',
      [organizationId],
    );
  const differences = async (organizationId: string) => {
    const { verifyAttribution } = await world.ask<{ verifyAttribution: { check: string; differences: string[] }[] }>(
      organizationId,
      '{ verifyAttribution { check differences } }',
    );
    const days = ['2026-03-01', '2026-03-02', '2026-03-03'].map((day) => ({ organizationId, day }));
    const own = await world.database.system((tx) => readOwnDays(tx, days));
    return [
      ...verifyAttribution.flatMap((check) => check.differences.map((line) => `${check.check}: ${line}`)),
      ...own.flatMap(({ day, wrongKeys }) => wrongKeys.map((key) => `${day} ${key}`)),
      ...own.flatMap(({ day, totalCost, chargedCost }) => (chargedCost === totalCost ? [] : [`${day} charges`])),
    ];
  };
  const items = (facts: readonly CostFact[], key: string) => ({
    items: groups(facts, (one) => valueOf(one, key)).map(({ name, facts: members }) => ({
      attributionValue: name,
      totalCost: plain(costOf(members)),
      eventCount: members.length,
    })),
  });
  const charges = (facts: readonly CostFact[]) =>
    groups(facts, ({ eventTime }) => eventTime.slice(0, '2026-03-01'.length))
      .map(({ name, facts: members }) => ({
        day: name,
        quantity: String(members.length * 100),
        amount: plain(costOf(members)),
      }))
      .toSorted((one, other) => (one.day < other.day ? -1 : 1));
  const check = async (organizationId: string, facts: readonly CostFact[]) => {
    expect(await differences(organizationId)).toEqual([]);
    for (const window of [DAY, ODD]) {
      const answer = await world.ask<{ window: Record<string, unknown> }>(organizationId, FIGURES, window);
      const { costTrend, ...breakdowns } = answer.window as {
        costTrend: { series: { points: { cost: string }[] }[] };
      };
      const inside = within(facts, window);
      expect(breakdowns).toEqual({
        costsByAttribution: items(inside, 'agent_id'),
        late: items(inside, 'late'),
        chargeDays: { nodes: charges(inside) },
      });
      const hours = costTrend.series.flatMap(({ points }) => points.map(({ cost }) => cost));
      expect(hours.filter((cost) => Number(cost) !== 0).length).toBe(
        new Set(
          inside.filter(({ totalCost }) => Number(totalCost) !== 0).map(({ eventTime }) => eventTime.slice(0, 13)),
        ).size,
      );
    }
  };

  /** Publishes the first batch, takes the steps, and compares every figure with the facts after each of them. */
  async function live(first: readonly CostFact[], steps: readonly Step[]): Promise<void> {
    const organizationId = randomUUID();
    const batches: (readonly CostFact[])[] = [];
    const publish = async (facts: readonly CostFact[]) => {
      batches.push(facts);
      world.feed.publish(organizationId, facts);
      await world.follow();
    };
    await publish(first);
    await check(organizationId, first);
    for (const one of steps) {
      if (typeof one !== 'string') await publish(one);
      else if (one === 'roll up') await rollUp(1_000);
      else if (one === 'roll up a part') await rollUp(10);
      else if (one === 'register') await world.ask(organizationId, REGISTER);
      else if (one === 'sweep') await sweepNext(world.database, 50);
      else if (one === 'backfill')
        await world.database.system((tx) => backfillKey(tx, { organizationId, key: 'late' }, { factsMax: 20 }));
      else if (one === 'rebuild') {
        await startRebuild(world.context(organizationId), { start: DAY.start, end: DAY.end });
        await world.step('operations');
      } else if (batches.length > 1) {
        batches.pop();
        world.feed.forget(organizationId, 1);
        await world.step('check-offsets');
        while ((await world.step('compare-with-ledger')) === 'more');
      }
      await check(organizationId, batches.flat());
    }
    await world.settle();
    expect(await pending(organizationId)).toEqual([]);
    await check(organizationId, batches.flat());
  }

  it('are exact while they are rolled up, keys are registered late, and facts are compared with the ledger', async () => {
    await fc.assert(fc.asyncProperty(batch, fc.array(step, { minLength: 4, maxLength: 7 }), live), {
      numRuns: Number(process.env['PENDING_RUNS'] ?? 3),
      endOnFailure: true,
    });
  });

  it('are exact for a key whose backfill has added some of them', async () => {
    const [first, second] = fc.sample(batch, { numRuns: 2, seed: 7 });
    const backfills = Array.from({ length: 6 }, () => 'backfill' as const);
    await live(first!, ['register', 'sweep', ...backfills, second!, 'roll up a part', 'roll up']);
  });

  it('do not include facts of a step of which the database rejects one', async () => {
    const organizationId = randomUUID();
    const at = (hour: number, more: Partial<CostFact> = {}) =>
      aFact({ eventTime: new Date(FIRST_MS + hour * HOUR_MS).toISOString(), ...more });
    // The step is stored in halves, of which only the second is spread over many hours.
    const narrow = Array.from({ length: 30 }, () => at(0));
    const wide = Array.from({ length: 31 }, (_, hour) => at(hour));
    world.feed.publish(organizationId, [at(0, { totalCost: 'much' }), ...narrow, ...wide]);
    await world.follow();
    expect(await pending(organizationId)).toEqual([]);
    await check(organizationId, [...narrow, ...wide]);
  });

  it('are rolled up in bounded steps, those that have waited longest first', async () => {
    const organizationId = randomUUID();
    const at = (day: string, hours: number, each: number) =>
      Array.from({ length: hours * each }, (_, index) =>
        aFact({ eventTime: `${day}T${String(index % hours).padStart(2, '0')}:30:00.000Z` }),
      );
    const steps = [
      [...at('2026-03-01', 24, 2), ...at('2026-03-02', 10, 1)],
      [...at('2026-03-02', 10, 3), ...at('2026-03-03', 24, 1)],
    ];
    for (const facts of steps) {
      world.feed.publish(organizationId, facts);
      await world.follow();
    }
    expect(await pending(organizationId)).toEqual([
      { day: '2026-03-01', facts: 48 },
      { day: '2026-03-02', facts: 40 },
      { day: '2026-03-03', facts: 24 },
    ]);
    // The first day does not fit, but all its facts arrived with one step.
    await rollUp(40);
    expect(await pending(organizationId)).toEqual([
      { day: '2026-03-01', facts: 0 },
      { day: '2026-03-02', facts: 40 },
      { day: '2026-03-03', facts: 24 },
    ]);
    await rollUp(5);
    await rollUp(5);
    expect(await pending(organizationId)).toEqual([
      { day: '2026-03-02', facts: 30 },
      { day: '2026-03-03', facts: 24 },
    ]);
    await world.settle();
    expect(await pending(organizationId)).toEqual([]);
    expect(
      await rows(
        "select sum(event_count)::int as events from rollup_day where organization_id = $1 and dimension_key = ''",
        [organizationId],
      ),
    ).toEqual([{ events: 112 }]);
    expect(await differences(organizationId)).toEqual([]);
  });

  it('cost a read in proportion to their number, however far apart they are', async () => {
    const organizationId = randomUUID();
    const facts = ['2000-01-01', '9999-12-31'].flatMap((day) =>
      Array.from({ length: 13 }, (_, hour) =>
        aFact({ eventTime: `${day}T${String(hour).padStart(2, '0')}:30:00.000Z`, totalCost: '0.5' }),
      ),
    );
    world.feed.publish(organizationId, [...facts, aFact()]);
    await world.follow();
    world.feed.publish(organizationId, [aFact({ eventTime: '2000-01-02T00:00:00.000Z' })]);
    await world.follow();
    expect(await pending(organizationId)).toEqual([
      { day: '2000-01-01', facts: 13 },
      { day: '2026-03-10', facts: 1 },
      { day: '9999-12-31', facts: 13 },
    ]);
    const plan = await rows<object>(
      `explain (analyze, timing off) select * from ${rolledUpFacts(`'${organizationId}'`)} as fact`,
      [],
    );
    const counts = [...JSON.stringify(plan).matchAll(/ rows=([\d.]+) loops=/g)].map(([, count]) => Number(count));
    expect(counts.length).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThanOrEqual(100);
    const far = ['2000-01-01', '2000-01-02', '2026-03-10', '9999-12-31'].map((day) => ({ organizationId, day }));
    const own = () => world.database.system((tx) => readOwnDays(tx, far));
    const exact = [
      { wrongKeys: [], chargedCost: '6.5' },
      { wrongKeys: [], chargedCost: '0.5' },
      { wrongKeys: [], chargedCost: '0.5' },
      { wrongKeys: [], chargedCost: '6.5' },
    ];
    expect(await own()).toMatchObject(exact);
    expect(await differences(organizationId)).toEqual([]);
    await world.settle();
    expect(await pending(organizationId)).toEqual([]);
    expect(await own()).toMatchObject(exact);
    expect(
      await rows(
        `select (bucket at time zone 'UTC')::date::text as day, event_count::int as events from rollup_day
         where organization_id = $1 and dimension_key = '' order by 1`,
        [organizationId],
      ),
    ).toEqual([
      { day: '2000-01-01', events: 13 },
      { day: '2000-01-02', events: 1 },
      { day: '2026-03-10', events: 1 },
      { day: '9999-12-31', events: 13 },
    ]);
    expect(await differences(organizationId)).toEqual([]);
  });

  it('pending days of another organization are rolled up while a follower holds the organization with the most', async () => {
    const [most, fewer] = [randomUUID(), randomUUID()];
    const spread = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        aFact({ eventTime: new Date(FIRST_MS + (index % 30) * HOUR_MS).toISOString() }),
      );
    world.feed.publish(most, spread(400));
    world.feed.publish(fewer, spread(300));
    await world.follow();
    await world.database.system(async (tx) => {
      await claimOffsets(tx, [most], 1);
      expect(await rollUp(1_000)).toBe(true);
    });
    expect(await pending(fewer)).toEqual([]);
    expect(await pending(most)).not.toEqual([]);
    expect(await rollUp(1_000)).toBe(true);
    expect(await pending(most)).toEqual([]);
  });

  it('do not include days whose facts lie within a few hours, unless the day is pending already', async () => {
    const [organizationId, other] = [randomUUID(), randomUUID()];
    const spread = Array.from({ length: 26 }, (_, hour) =>
      aFact({ eventTime: new Date(FIRST_MS + hour * HOUR_MS).toISOString() }),
    );
    // The day is pending in another organization.
    world.feed.publish(other, [aFact(), ...spread]);
    world.feed.publish(organizationId, [aFact()]);
    await world.follow();
    expect(await pending(organizationId)).toEqual([]);
    world.feed.publish(organizationId, spread);
    await world.follow();
    world.feed.publish(organizationId, [aFact(), aFact({ eventTime: '2026-03-02T05:00:00.000Z' })]);
    await world.follow();
    expect(await pending(organizationId)).toEqual([
      { day: '2026-03-01', facts: 24 },
      { day: '2026-03-02', facts: 3 },
    ]);
    expect(await differences(organizationId)).toEqual([]);
  });
});
