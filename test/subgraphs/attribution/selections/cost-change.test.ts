import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount, plain } from '#kernel/money.ts';
import { HOUR_MS } from '#kernel/time/duration.ts';
import {
  type Calls,
  compareGroups,
  explainChange,
  sumDifferences,
} from '../../../../subgraphs/attribution/selections/cost-change.ts';
import { shortestRun } from '../../../../subgraphs/attribution/selections/main-cause.step.ts';
import { lateCostSequence } from '#schema/priced-feed.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';
import { history, window } from '../history.ts';
import * as model from '../plain-model.ts';

const tokens = fc.bigInt({ min: 0n, max: 10n ** 12n });
const calls = fc.uniqueArray(
  fc.record({
    value: fc.constantFrom('a', 'b', 'c', 'd'),
    cost: fc.bigInt({ min: -(10n ** 15n), max: 10n ** 24n }),
    eventCount: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 10_000_000 })),
    classes: fc.record({
      input: fc.record({ cost: fc.bigInt({ min: 0n, max: 10n ** 22n }), tokens: fc.tuple(tokens, tokens) }),
      output: fc.record({ cost: fc.bigInt({ min: 0n, max: 10n ** 22n }), tokens: fc.tuple(tokens) }),
    }),
  }),
  { selector: ({ value }) => value },
);

describe('a change of costs', () => {
  const costOf = (all: readonly Calls[]) => all.reduce((sum, { cost }) => sum + cost, 0n);

  it('is the sum of its parts to the last digit, and of its groups', () => {
    fc.assert(
      fc.property(calls, calls, (before, after) => {
        const parts = explainChange(before, after);
        const difference = costOf(after) - costOf(before);
        expect(parts.calls + parts.mix + parts.size + parts.price).toBe(difference);
        expect(sumDifferences(compareGroups(before, after))).toMatchObject({
          previousCost: costOf(before),
          cost: costOf(after),
          difference,
        });
      }),
    );
  });

  /** Calls with input tokens, of which `cached` were read from a cache at no cost. */
  const of = (value: string, cost: string, eventCount: number, input = 0, cached = 0): Calls => ({
    value,
    cost: amount(cost),
    eventCount,
    classes: { input: { cost: input === 0 ? 0n : amount(cost), tokens: [BigInt(input - cached), BigInt(input)] } },
  });

  it.each<[string, Calls[], Calls[], Record<string, string>]>([
    [
      'twice the calls',
      [of('a', '10', 5, 100)],
      [of('a', '20', 10, 200)],
      { calls: '10', mix: '0', size: '0', price: '0' },
    ],
    [
      'longer prompts at the same price',
      [of('a', '10', 5, 100)],
      [of('a', '12', 5, 120)],
      { calls: '0', mix: '0', size: '2', price: '0' },
    ],
    [
      'the same prompts at a higher price',
      [of('a', '10', 5, 100)],
      [of('a', '12', 5, 100)],
      { calls: '0', mix: '0', size: '0', price: '2' },
    ],
    [
      'fewer cached tokens are larger calls, not another price',
      [of('a', '10', 5, 200, 100)],
      [of('a', '20', 5, 200, 0)],
      { calls: '0', mix: '0', size: '10', price: '0' },
    ],
    [
      'calls without tokens that cost more are larger',
      [of('a', '10', 5)],
      [of('a', '12', 5)],
      { calls: '0', mix: '0', size: '2', price: '0' },
    ],
    [
      'calls that move to a cheaper model',
      [of('dear', '10', 5), of('cheap', '5', 5)],
      [of('dear', '4', 2), of('cheap', '8', 8)],
      { calls: '0', mix: '-3', size: '0', price: '0' },
    ],
    ['a new model', [of('old', '10', 5)], [of('new', '15', 5)], { calls: '0', mix: '5', size: '0', price: '0' }],
    ['nothing before', [], [of('a', '7', 3)], { calls: '7', mix: '0', size: '0', price: '0' }],
    ['no more calls', [of('a', '7', 3)], [], { calls: '-7', mix: '0', size: '0', price: '0' }],
  ])('comes from %s', (_name, before, after, expected) => {
    const parts = explainChange(before, after);
    expect(Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, plain(part)]))).toEqual(expected);
  });
});

describe('the time of a cause', () => {
  const hour = (at: number, cost: bigint) => ({ at: at * HOUR_MS, cost });
  it('is the shortest run of hours with nine tenths of the cost, or the whole day', () => {
    expect(shortestRun([hour(3, 1n), hour(13, 60n), hour(14, 60n), hour(20, 2n)])).toEqual({
      start: 13 * HOUR_MS,
      end: 15 * HOUR_MS,
      cost: 120n,
    });
    expect(shortestRun([hour(0, 50n), hour(23, 50n)])).toBeNull();
    // Nine tenths exactly, and twelve hours at most.
    expect(shortestRun([hour(0, 90n), hour(11, 10n)])).toMatchObject({ start: 0, end: HOUR_MS, cost: 90n });
    expect(shortestRun([hour(0, 50n), hour(11, 50n)])).toMatchObject({ start: 0, end: 12 * HOUR_MS });
    expect(shortestRun([hour(0, 50n), hour(12, 50n)])).toBeNull();
    expect(shortestRun([])).toBeNull();
  });
});

const DIFFERENCE = 'previousCost cost difference previousEventCount eventCount';
const CHANGE = `query ($start: Instant!, $end: Instant!, $against: CostComparison, $filter: CostFilter, $groupBy: CostKey, $first: Int) {
  window(start: $start, end: $end) {
    costChange(against: $against, filter: $filter, groupBy: $groupBy, first: $first) {
      start end previousStart previousEnd percent totalGroups
      total { ${DIFFERENCE} } rest { ${DIFFERENCE} } groups { value { value endUser { externalId } } isNew isGone change { ${DIFFERENCE} } }
      parts { calls mix size price corrections } mainCause { endUser { externalId } agent model start end cost }
    }
  }
}`;

interface Change {
  readonly total: { readonly difference: string };
  readonly parts: Readonly<Record<'calls' | 'mix' | 'size' | 'price' | 'corrections', string>>;
  readonly groups: { value: { value: string }; isNew: boolean; isGone: boolean }[];
  readonly totalGroups: number;
}

describe('Window.costChange', () => {
  let world: Attribution;
  beforeAll(async () => {
    world = await startAttribution();
  });
  afterAll(() => world.close());
  const ask = async (organizationId: string, variables: object) =>
    (
      await world.ask<{ window: { costChange: Change } }>(organizationId, CHANGE, {
        against: { period: 'PREVIOUS' },
        groupBy: 'MODEL',
        first: 20,
        ...variables,
      })
    ).window.costChange;

  it('compares the sums over the facts, by model and by customer', async () => {
    await fc.assert(
      fc.asyncProperty(history, window, window, async ({ facts, batches }, now, before) => {
        const organizationId = randomUUID();
        for (const batch of batches) world.feed.publish(organizationId, batch);
        await world.settle();
        for (const [groupBy, keyOf] of [
          ['MODEL', (fact: (typeof facts)[number]) => fact.modelSlug],
          ['END_USER', (fact: (typeof facts)[number]) => fact.endUserExternalId ?? 'Unassigned'],
        ] as const) {
          const change = await ask(organizationId, { ...now, against: before, groupBy });
          const [current, previous] = [model.within(facts, now), model.within(facts, before)];
          expect(change.total).toMatchObject({
            previousCost: plain(model.costOf(previous)),
            cost: plain(model.costOf(current)),
          });
          const parts = Object.values(change.parts).map(amount);
          expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(amount(change.total.difference));
          expect(new Set(change.groups.map(({ value }) => value.value))).toEqual(
            new Set([...current, ...previous].map(keyOf)),
          );
        }
      }),
      { numRuns: 5 },
    );
  });

  it('names new and disappeared groups, the largest difference first, and adds up the rest', async () => {
    const organizationId = randomUUID();
    const of = (modelSlug: string, eventTime: string, totalCost: string) =>
      aFact({ modelSlug, eventTime, totalCost, endUserExternalId: 'ann' });
    world.feed.publish(organizationId, [
      of('old', '2026-03-01T00:00:00.000Z', '1'),
      of('kept', '2026-03-01T00:00:00.000Z', '2'),
      of('kept', '2026-04-01T00:00:00.000Z', '2.5'),
      of('new', '2026-04-01T00:00:00.000Z', '3'),
    ]);
    await world.settle();
    const april = { start: '2026-04-01', end: '2026-05-01', filter: { endUser: 'ann' } };
    const change = await ask(organizationId, { ...april, first: 2 });
    expect(change).toMatchObject({
      previousStart: '2026-03-01T00:00:00.000Z',
      previousEnd: '2026-04-01T00:00:00.000Z',
      percent: 83.33,
      totalGroups: 3,
      total: { difference: '2.5' },
      parts: { calls: '0', mix: '2', size: '0.5', price: '0', corrections: '0' },
      mainCause: { endUser: null, agent: null, model: 'new', cost: '3', start: '2026-04-01T00:00:00.000Z' },
      groups: [
        { value: { value: 'new' }, isNew: true, isGone: false, change: { difference: '3' } },
        { value: { value: 'old' }, isNew: false, isGone: true, change: { difference: '-1' } },
      ],
      rest: { difference: '0.5', eventCount: 1 },
    });
  });

  it('names the customer, the agent and the hours behind an increase, however it is grouped', async () => {
    const organizationId = randomUUID();
    const of = (endUserExternalId: string, agent: string, eventTime: string, totalCost: string) =>
      aFact({ endUserExternalId, eventTime, totalCost, dimensions: { agent_id: agent } });
    world.feed.publish(organizationId, [
      ...['ann', 'bob'].map((user) => of(user, 'chat', '2026-03-18T09:00:00.000Z', '2')),
      ...['ann', 'bob'].map((user) => of(user, 'chat', '2026-03-25T09:00:00.000Z', '3')),
      of('ann', 'review', '2026-03-25T13:10:00.000Z', '20'),
      of('ann', 'review', '2026-03-25T14:50:00.000Z', '25'),
    ]);
    await world.settle();
    const day = {
      start: '2026-03-25',
      end: '2026-03-26',
      against: { start: '2026-03-18', end: '2026-03-19' },
    };
    const mainCause = {
      endUser: { externalId: 'ann' },
      agent: 'review',
      model: null,
      start: '2026-03-25T13:00:00.000Z',
      end: '2026-03-25T15:00:00.000Z',
      cost: '45',
    };
    const changes = await Promise.all(
      ['MODEL', 'END_USER', 'AGENT'].map((groupBy) => ask(organizationId, { ...day, groupBy })),
    );
    for (const change of changes) expect(change).toMatchObject({ mainCause, parts: changes[0]!.parts });
    expect(await ask(organizationId, { ...day, filter: { endUser: 'ann' } })).toMatchObject({
      mainCause: { ...mainCause, endUser: null },
    });
    expect(await ask(organizationId, { ...day, filter: { endUser: 'bob' } })).toMatchObject({
      mainCause: { endUser: null, agent: 'chat', cost: '3' },
    });
  });

  it('calls a group new only if the earlier window has nothing of it, not even a correction', async () => {
    const organizationId = randomUUID();
    const of = (modelSlug: string, eventTime: string, more: object = {}) => aFact({ modelSlug, eventTime, ...more });
    world.feed.publish(organizationId, [
      of('corrected', '2026-03-01T00:00:00.000Z', { sequence: -1, totalCost: '0.25' }),
      of('corrected', '2026-04-02T00:00:00.000Z'),
      of('new', '2026-04-02T00:00:00.000Z', { totalCost: '2' }),
    ]);
    await world.settle();
    const { groups } = await ask(organizationId, { start: '2026-04-01', end: '2026-05-01' });
    expect(groups.map(({ value, isNew, isGone }) => [value.value, isNew, isGone])).toEqual([
      ['new', true, false],
      ['corrected', false, false],
    ]);
    // The correction is booked at the first instant of its window.
    const march = { start: '2026-03-01', end: '2026-04-01', against: { start: '2026-02-01', end: '2026-03-01' } };
    expect((await ask(organizationId, march)).parts).toMatchObject({ calls: '0', corrections: '0.25' });
  });

  it('names a customer behind a third of an increase, and none behind less', async () => {
    const cause = async (ofAnn: string) => {
      const organizationId = randomUUID();
      world.feed.publish(organizationId, [
        aFact({ endUserExternalId: 'ann', eventTime: '2026-03-25T13:00:00.000Z', totalCost: ofAnn }),
        ...Array.from({ length: 200 }, (_, index) =>
          aFact({
            ...{ endUserExternalId: `other-${index}`, modelSlug: `m-${index}`, totalCost: '0.01' },
            eventTime: '2026-03-25T13:00:00.000Z',
          }),
        ),
      ]);
      await world.settle();
      const day = { start: '2026-03-25', end: '2026-03-26', against: { start: '2026-03-18', end: '2026-03-19' } };
      return (await ask(organizationId, day)) as Change & { readonly mainCause: object | null };
    };
    // Two dollars of the increase belong to other customers.
    expect((await cause('1')).mainCause).toMatchObject({ endUser: { externalId: 'ann' }, cost: '1' });
    expect((await cause('0.99')).mainCause).toBeNull();
  });

  it('keeps corrections of closed months apart from the calls of the month in which they are booked', async () => {
    const organizationId = randomUUID();
    const of = (eventTime: string, totalCost: string) => aFact({ eventTime, totalCost });
    world.feed.publish(organizationId, [
      of('2026-03-10T00:00:00.000Z', '4'),
      of('2026-04-10T00:00:00.000Z', '5'),
      { ...of('2026-04-01T00:00:00.000Z', '0.75'), sequence: lateCostSequence(0) },
    ]);
    await world.settle();
    const april = { start: '2026-04-01', end: '2026-05-01' };
    expect(await ask(organizationId, april)).toMatchObject({
      total: { difference: '1.75', eventCount: 1, previousEventCount: 1 },
      parts: { calls: '0', mix: '0', size: '1', price: '0', corrections: '0.75' },
    });
  });

  it.each([
    ['two ways to name the other window', { against: { period: 'PREVIOUS', start: '2026-01-01', end: '2026-02-01' } }],
    ['none', { against: {} }],
    ['an empty page', { first: 0 }],
    ['a window that has not begun', { start: '2999-01-01', end: '2999-02-01' }],
  ])('%s is an error', async (_name, more) => {
    await expect(ask(randomUUID(), { start: '2026-04-01', end: '2026-05-01', ...more })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});
