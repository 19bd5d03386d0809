/** Terms with days are in force from their first day to the day before `until`. */
import { describe, expect, it } from 'vitest';
import { amount, money, quantity } from '#kernel/money.ts';
import { toAgreementView } from '../../../subgraphs/costing/agreements/agreement-view.ts';
import { parseCommitment } from '../../../subgraphs/costing/commitments/parse-commitment.ts';
import { toCommitmentView } from '../../../subgraphs/costing/commitments/commitment-view.ts';
import { endPeriods } from '../../../subgraphs/costing/fixed-costs/end-periods.ts';
import { parseFixedCost } from '../../../subgraphs/costing/fixed-costs/parse-fixed-cost.ts';
import type { Period } from '../../../subgraphs/costing/fixed-costs/fixed-cost.ts';
import { parseProviderCredit } from '../../../subgraphs/costing/provider-credits/parse-provider-credit.ts';
import { toCreditView } from '../../../subgraphs/costing/provider-credits/credit-view.ts';
import { NO_SUMS } from '../../../subgraphs/costing/provider-credits/provider-credit-entry.table.ts';

interface Days {
  readonly fromDay: string;
  readonly untilDay: string | null;
}

const changedAt = new Date('2026-01-01T00:00:00Z');
const base = { id: 'id', name: 'name', providerSlug: 'openai', models: null, changedAt };

const VIEWS: Readonly<Record<string, (days: Days, today: string) => boolean>> = {
  agreement: (days, today) =>
    toAgreementView(
      { ...base, ...days, reference: null, changedAt: changedAt.toISOString() },
      [],
      new Date(`${today}T23:59:59Z`),
    ).isInForce,
  credit: (days, today) =>
    toCreditView(
      {
        ...base,
        ...days,
        kind: 'credit',
        classes: null,
        amount: amount('1'),
        burnOrder: null,
        revision: 1,
        isRemoved: false,
      },
      { sums: NO_SUMS, forecast: null },
      today,
    ).isInForce,
  'period of a commitment': (days, today) =>
    toCommitmentView(
      { ...base, ...days, periodLength: 'month', amount: amount('1'), revision: 1, isRemoved: false },
      { amounts: [], days: [] },
      today,
    ).current !== null,
};

describe.each(Object.entries(VIEWS))('an %s', (_, isInForce) => {
  it.each([
    ['2026-02-28', false],
    ['2026-03-01', true],
    ['2026-03-31', true],
    ['2026-04-01', false],
  ])('is in force on %s: %s', (today, expected) => {
    expect(isInForce({ fromDay: '2026-03-01', untilDay: '2026-04-01' }, today)).toBe(expected);
  });

  it('without an end stays in force', () => {
    expect(isInForce({ fromDay: '2026-03-01', untilDay: null }, '2030-01-01')).toBe(true);
  });
});

describe('the days that a caller may enter', () => {
  const TODAY = '2026-11-27';
  const dayAt = (ago: number) => new Date(Date.parse(TODAY) - ago * 86_400_000).toISOString().slice(0, 10);
  const named = { provider: 'openai', name: 'name', amount: '1', currency: 'USD' };
  const begin: Readonly<Record<string, (from: string) => object>> = {
    commitment: (from) => parseCommitment({ ...named, period: 'MONTH', from }, TODAY),
    credit: (from) => parseProviderCredit({ ...named, kind: 'CREDIT', from }, TODAY),
    'fixed cost': (from) => {
      const periods = [{ from, until: null, amount: '1', currency: 'USD', per: 'DAY' as const, quantity: '1' }];
      return parseFixedCost({ key: 'key', name: 'name', driver: 'NONE', replacesModelCost: false, periods }, TODAY);
    },
  };

  it.each(Object.entries(begin))('begin at most 1100 days ago: %s', (_, parse) => {
    expect(() => parse(dayAt(1_100))).not.toThrow();
    expect(() => parse(dayAt(1_101))).toThrow('from must not be more than 1100 days ago');
  });

  it('may follow each other without a gap, in at most 120 periods', () => {
    const periods = (count: number) =>
      parseFixedCost(
        {
          ...{ key: 'key', name: 'name', driver: 'NONE', replacesModelCost: false },
          periods: Array.from({ length: count }, (_, index) => ({
            ...{ from: dayAt(1_000 - index), until: dayAt(999 - index), amount: '1', currency: 'USD' },
            ...{ per: 'DAY' as const, quantity: '1' },
          })),
        },
        TODAY,
      ).periods.length;
    expect(periods(120)).toBe(120);
    expect(() => periods(121)).toThrow('periods must contain at most 120');
  });

  it('end at most 7305 days after the first, whenever that is', () => {
    const term = (days: number) =>
      parseCommitment({ ...named, period: 'TERM', from: dayAt(100), until: dayAt(100 - days) }, TODAY);
    expect(term(7_305).untilDay).toBe(dayAt(100 - 7_305));
    expect(() => term(7_306)).toThrow('until must be at most 7305 days after from');
  });
});

describe('periods that are ended on a day', () => {
  const period = (fromDay: string, untilDay: string | null, per: Period['per'] = 'month'): Period => ({
    fromDay,
    untilDay,
    amount: money('1'),
    per,
    quantity: quantity('1'),
  });
  const daysOf = (periods: readonly Period[]) => periods.map(({ fromDay, untilDay }) => [fromDay, untilDay]);
  const march = ['2026-03-01', '2026-04-01'] as const;

  it.each([
    ['the first day', '2026-03-01', []],
    ['a day inside', '2026-03-10', [['2026-03-01', '2026-03-10']]],
    ['the end of the first', '2026-04-01', [march]],
    ['the first day of the second', '2026-04-05', [march]],
    ['a day inside the second', '2026-04-06', [march, ['2026-04-05', '2026-04-06']]],
  ])('end before that day: %s', (_, day, expected) => {
    expect(daysOf(endPeriods([period(...march), period('2026-04-05', null)], day))).toEqual(expected);
  });

  it('may end where a period that is paid as a whole ends, but not inside it', () => {
    const whole = [period(...march, 'period')];
    expect(daysOf(endPeriods(whole, '2026-04-01'))).toEqual([march]);
    expect(daysOf(endPeriods(whole, '2026-03-01'))).toEqual([]);
    expect(() => endPeriods(whole, '2026-03-31')).toThrow('is paid as a whole');
  });
});
