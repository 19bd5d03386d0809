import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount, plain } from '#kernel/money.ts';
import { divideChange, sumChanges } from '../../../../subgraphs/attribution/selections/cost-change.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';
import { history, window } from '../history.ts';
import * as model from '../plain-model.ts';

const groups = fc.uniqueArray(
  fc.record({
    value: fc.constantFrom('a', 'b', 'c', 'd'),
    cost: fc.bigInt({ min: -(10n ** 15n), max: 10n ** 24n }),
    eventCount: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 10_000_000 })),
  }),
  { selector: ({ value }) => value },
);

describe('a change of costs', () => {
  it('is the sum of volume, mix and rate to the last digit, in every group and in total', () => {
    fc.assert(
      fc.property(groups, groups, (before, after) => {
        const changes = divideChange(before, after);
        for (const change of [...changes, sumChanges(changes)]) {
          expect(change.volume + change.mix + change.rate).toBe(change.difference);
          expect(change.cost - change.previousCost).toBe(change.difference);
        }
        const costOf = (all: typeof before) => all.reduce((sum, { cost }) => sum + cost, 0n);
        expect(sumChanges(changes)).toMatchObject({ previousCost: costOf(before), cost: costOf(after) });
      }),
    );
  });

  const usd = (text: string) => amount(text);
  const parts = (before: [string, string, number][], after: [string, string, number][]) => {
    const toGroups = (rows: typeof before) =>
      rows.map(([value, cost, eventCount]) => ({ value, cost: usd(cost), eventCount }));
    return divideChange(toGroups(before), toGroups(after)).map(({ value, volume, mix, rate }) => [
      value,
      plain(volume),
      plain(mix),
      plain(rate),
    ]);
  };

  it.each<[string, [string, string, number][], [string, string, number][], string[][]]>([
    ['twice the events is volume', [['a', '10', 5]], [['a', '20', 10]], [['a', '10', '0', '0']]],
    ['the same events at another price is rate', [['a', '10', 5]], [['a', '12', 5]], [['a', '0', '0', '2']]],
    [
      'events that move to a cheaper group are mix',
      [
        ['dear', '10', 5],
        ['cheap', '5', 5],
      ],
      [
        ['dear', '4', 2],
        ['cheap', '8', 8],
      ],
      [
        ['dear', '0', '-6', '0'],
        ['cheap', '0', '3', '0'],
      ],
    ],
    [
      'a group that is new is mix, one that is gone too',
      [['old', '10', 5]],
      [['new', '15', 5]],
      [
        ['new', '0', '15', '0'],
        ['old', '0', '-10', '0'],
      ],
    ],
    ['without anything before it is volume', [], [['a', '7', 3]], [['a', '7', '0', '0']]],
    ['with nothing any more it is volume', [['a', '7', 3]], [], [['a', '-7', '0', '0']]],
    ['a correction without events is rate', [['a', '10', 5]], [['a', '-1', 0]], [['a', '-10', '0', '-1']]],
  ])('%s', (_name, before, after, expected) => {
    expect(parts(before, after)).toEqual(expected);
  });
});

const PARTS = 'previousCost cost difference previousEventCount eventCount volume mix rate';
const CHANGE = `query ($start: Instant!, $end: Instant!, $against: CostComparison, $filter: CostFilter, $groupBy: CostKey, $first: Int) {
  window(start: $start, end: $end) {
    costChange(against: $against, filter: $filter, groupBy: $groupBy, first: $first) {
      start end previousStart previousEnd percent totalGroups
      total { ${PARTS} } rest { ${PARTS} } groups { value { value endUser { externalId } } isNew isGone change { ${PARTS} } }
    }
  }
}`;

interface Parts {
  readonly difference: string;
  readonly volume: string;
  readonly mix: string;
  readonly rate: string;
}
interface Change {
  readonly total: Parts;
  readonly groups: { value: { value: string }; isNew: boolean; isGone: boolean; change: Parts }[];
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
          const { difference, volume, mix, rate } = change.total;
          expect(amount(volume) + amount(mix) + amount(rate)).toBe(amount(difference));
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
      total: { difference: '2.5', volume: '0', mix: '2', rate: '0.5' },
      groups: [
        { value: { value: 'new' }, isNew: true, isGone: false, change: { difference: '3', mix: '3' } },
        { value: { value: 'old' }, isNew: false, isGone: true, change: { difference: '-1', mix: '-1' } },
      ],
      rest: { difference: '0.5', rate: '0.5', eventCount: 1 },
    });
  });

  it.each([
    ['two ways to name the other window', { against: { period: 'PREVIOUS', start: '2026-01-01', end: '2026-02-01' } }],
    ['none', { against: {} }],
    ['a list of nothing', { first: 0 }],
    ['a window that has not begun', { start: '2999-01-01', end: '2999-02-01' }],
  ])('%s is an error', async (_name, more) => {
    await expect(ask(randomUUID(), { start: '2026-04-01', end: '2026-05-01', ...more })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});
