/** Terms with days are in force from their first day to the day before `until`. */
import { describe, expect, it } from 'vitest';
import { amount, money, quantity } from '#kernel/money.ts';
import { toAgreementView } from '../../../subgraphs/costing/agreements/agreement-view.ts';
import { toCommitmentView } from '../../../subgraphs/costing/commitments/commitment-view.ts';
import { endPeriods } from '../../../subgraphs/costing/fixed-costs/end-periods.ts';
import type { Period } from '../../../subgraphs/costing/fixed-costs/fixed-cost.ts';
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
  ])('%s', (_, day, expected) => {
    expect(daysOf(endPeriods([period(...march), period('2026-04-05', null)], day))).toEqual(expected);
  });

  it('may end where a period that is paid as a whole ends, but not inside it', () => {
    const whole = [period(...march, 'period')];
    expect(daysOf(endPeriods(whole, '2026-04-01'))).toEqual([march]);
    expect(daysOf(endPeriods(whole, '2026-03-01'))).toEqual([]);
    expect(() => endPeriods(whole, '2026-03-31')).toThrow('is paid as a whole');
  });
});
