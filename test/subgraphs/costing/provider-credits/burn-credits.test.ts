/** What credits pay for: compared with a naive model, cent by cent, over random credits and histories. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, plain } from '#kernel/money.ts';
import { type BurnableCredit, burnCredits } from '../../../../subgraphs/costing/provider-credits/burn-credits.ts';
import { forecastCredits } from '../../../../subgraphs/costing/provider-credits/forecast-credits.ts';
import type { CostDay } from '../../../../subgraphs/costing/provider-costs/selected-costs.ts';
import type { ProviderCredit } from '../../../../subgraphs/costing/provider-credits/provider-credit.ts';

const credit = (more: Partial<BurnableCredit> = {}): BurnableCredit => ({
  id: 'a',
  providerSlug: 'openai',
  models: null,
  classes: null,
  amount: amount('10'),
  fromDay: '2026-10-01',
  untilDay: '2026-10-05',
  burnOrder: null,
  ...more,
});
const cost = (text: string, more: object = {}) => ({
  provider: 'openai',
  model: 'gpt-4o',
  chargeClass: 'input',
  cost: amount(text),
  ...more,
});
const days = (...costs: readonly (readonly ReturnType<typeof cost>[])[]): CostDay[] =>
  costs.map((cells, index) => ({ day: `2026-10-0${index + 1}`, cells }));
const words = (burns: ReturnType<typeof burnCredits>) =>
  burns.map((burn) => `${burn.day} ${burn.creditId} ${burn.cause} ${plain(burn.amount)}`);

describe('a credit', () => {
  it('pays day by day until it is used up', () => {
    expect(words(burnCredits([credit()], days([cost('4')], [], [cost('5'), cost('3')], [cost('1')])))).toEqual([
      '2026-10-01 a burn 4',
      '2026-10-03 a burn 6',
    ]);
  });

  it('expires on its last day, once that is settled', () => {
    const four = days([cost('4')], [], [], [cost('1')], [cost('9')]);
    expect(words(burnCredits([credit()], four.slice(0, 3)))).toEqual(['2026-10-01 a burn 4']);
    const all = ['2026-10-01 a burn 4', '2026-10-04 a burn 1', '2026-10-04 a expiry 5'];
    expect(words(burnCredits([credit()], four.slice(0, 4)))).toEqual(all);
    expect(words(burnCredits([credit()], four))).toEqual(all);
  });

  it('pays only for its provider, models, classes and days, and not for what corrections made negative', () => {
    const selected = credit({ models: ['gpt-4o*'], classes: ['input'], fromDay: '2026-10-02', untilDay: null });
    const history = days(
      [cost('1')],
      [
        cost('1', { model: 'gpt-4o-mini' }),
        cost('2', { model: 'gpt-5' }),
        cost('3', { chargeClass: 'output' }),
        cost('4', { provider: 'azure' }),
        cost('-7'),
      ],
    );
    expect(words(burnCredits([selected], history))).toEqual(['2026-10-02 a burn 1']);
  });

  it('is used by earliest expiry, unless an order is stated', () => {
    const later = credit({ id: 'b', untilDay: '2026-10-09' });
    const history = days([cost('12')]);
    expect(words(burnCredits([later, credit()], history))).toEqual(['2026-10-01 a burn 10', '2026-10-01 b burn 2']);
    const first = { ...later, burnOrder: 1 };
    expect(words(burnCredits([credit(), first], history))).toEqual(['2026-10-01 b burn 10', '2026-10-01 a burn 2']);
  });

  it('is forecast from the average of the last settled days', () => {
    const stored = (more: Partial<BurnableCredit>): ProviderCredit => ({
      ...credit(more),
      kind: 'credit',
      name: 'x',
      revision: 1,
      isRemoved: false,
      changedAt: new Date(0),
    });
    const credits = [
      stored({ id: 'a', untilDay: '2026-10-08' }),
      stored({ id: 'b', untilDay: '2026-11-30', amount: amount('4') }),
    ];
    const left = new Map([
      ['a', amount('10')],
      ['b', amount('4')],
    ]);
    // Costs are 2 USD a day. Credit `a` pays from 4 to 7 October, and 2 USD of it expire; then credit `b` pays for two
    // days.
    const forecasts = forecastCredits(credits, left, days([cost('1')], [cost('3')], [cost('2')]), '2026-10-04');
    expect(forecasts.get('a')).toEqual({ usedUpOn: null, expiresUnused: amount('2') });
    expect(forecasts.get('b')).toEqual({ usedUpOn: '2026-10-09', expiresUnused: 0n });
    expect(forecastCredits(credits, left, [], '2026-10-04')).toEqual(new Map());
  });
});

describe('a forecast', () => {
  const stored = (more: Partial<BurnableCredit>): ProviderCredit => ({
    ...credit(more),
    ...{ kind: 'credit', name: 'x', revision: 1, isRemoved: false, changedAt: new Date(0) },
  });
  const dayAfter = (day: string, count: number) =>
    new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10);
  const FROM = '2026-10-31';
  const forecastOf = (more: Partial<BurnableCredit>, history: readonly CostDay[]) => {
    const one = stored(more);
    return forecastCredits([one], new Map([[one.id, one.amount]]), history, FROM).get(one.id);
  };
  const history = (costOf: (ago: number) => string) =>
    Array.from({ length: 40 }, (_, index) => ({ day: dayAfter(FROM, index - 40), cells: [cost(costOf(40 - index))] }));

  it('uses the last 30 days, all of them', () => {
    const days30 = history((ago) => (ago > 30 ? '1000' : ago === 30 ? '30' : '0'));
    expect(forecastOf({ amount: amount('10'), untilDay: null }, days30)).toEqual({
      usedUpOn: dayAfter(FROM, 9),
      expiresUnused: 0n,
    });
  });

  it('says nothing of a credit that expires in more than three years', () => {
    const daily = history(() => '1');
    const of = (ahead: number) => forecastOf({ amount: amount('5000'), untilDay: dayAfter(FROM, ahead) }, daily);
    expect(of(1_100)).toEqual({ usedUpOn: null, expiresUnused: amount('3900') });
    expect(of(1_101)).toEqual({ usedUpOn: null, expiresUnused: null });
  });
});

describe('credits, whatever they and the costs are', () => {
  const DAYS = ['2026-10-01', '2026-10-02', '2026-10-03', '2026-10-04', '2026-10-05', '2026-10-06'] as const;
  const day = fc.constantFrom(...DAYS);
  const models = fc.option(fc.constantFrom(['m1'], ['m*'], ['m2', 'x']));
  const classes = fc.option(fc.constantFrom(['input'], ['input', 'output']));
  const credits = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      providerSlug: fc.constantFrom('p', 'q'),
      models,
      classes,
      amount: fc.bigInt(1n, 40n),
      fromDay: day,
      untilDay: fc.option(day),
      burnOrder: fc.option(fc.integer({ min: 1, max: 3 })),
    }),
    { selector: ({ id }) => id },
  );
  const cells = fc.uniqueArray(
    fc.record({
      provider: fc.constantFrom('p', 'q'),
      model: fc.constantFrom('m1', 'm2', 'x'),
      chargeClass: fc.constantFrom('input', 'output', 'web_searches'),
      cost: fc.bigInt(-5n, 20n),
    }),
    { selector: ({ provider, model, chargeClass }) => `${provider} ${model} ${chargeClass}` },
  );
  const history = fc
    .tuple(...DAYS.map(() => cells))
    .map((all): CostDay[] => all.map((found, index) => ({ day: DAYS[index]!, cells: found })));

  /** Pays one unit at a time. */
  function naive(all: readonly BurnableCredit[], costDays: readonly CostDay[]): Map<string, bigint> {
    const left = new Map(all.map(({ id, amount: whole }) => [id, whole]));
    const paid = new Map<string, bigint>();
    for (const { day: today, cells: found } of costDays) {
      const open = new Map(found.map((cell) => [cell, cell.cost]));
      for (let moved = true; moved;) {
        moved = false;
        const usable = all
          .filter(
            ({ id, fromDay, untilDay }) =>
              left.get(id)! > 0n && fromDay <= today && (untilDay === null || today < untilDay),
          )
          .toSorted((one, other) => {
            const key = ({ burnOrder, untilDay, fromDay, id }: BurnableCredit) =>
              `${burnOrder ?? 9} ${untilDay ?? '9999'} ${fromDay} ${id}`;
            return key(one) < key(other) ? -1 : 1;
          });
        for (const each of usable) {
          const cell = found.find(
            (one) =>
              open.get(one)! > 0n &&
              one.provider === each.providerSlug &&
              (each.classes ?? [one.chargeClass]).includes(one.chargeClass) &&
              (each.models ?? ['*']).some((name) => new RegExp(`^${name.replace('*', '.*')}$`).test(one.model)),
          );
          if (cell === undefined) continue;
          open.set(cell, open.get(cell)! - 1n);
          left.set(each.id, left.get(each.id)! - 1n);
          paid.set(`${today} ${each.id}`, (paid.get(`${today} ${each.id}`) ?? 0n) + 1n);
          moved = true;
          break;
        }
      }
    }
    return paid;
  }

  it('pay what the naive model says and never more than their amount; at the end, burnt + expired = amount', () => {
    fc.assert(
      fc.property(credits, history, (all, costDays) => {
        const burns = burnCredits(all, costDays);
        const paid = burns.filter(({ cause }) => cause === 'burn');
        expect(new Map(paid.map((burn) => [`${burn.day} ${burn.creditId}`, burn.amount]))).toEqual(
          naive(all, costDays),
        );
        for (const { id, amount: whole, fromDay, untilDay } of all) {
          const total = burns.reduce((sum, burn) => (burn.creditId === id ? sum + burn.amount : sum), 0n);
          expect(total <= whole).toBe(true);
          if (untilDay !== null && untilDay > fromDay) expect(total).toBe(whole);
        }
        expect(burnCredits(all.toReversed(), costDays)).toEqual(burns);
      }),
    );
  });
});
