/** Dividing a day's amount: nothing is lost, whatever was used. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, money, ONE, plain } from '#kernel/money.ts';
import { effectivePriceOf, utilisationOf } from '../../../../subgraphs/costing/fixed-costs/utilisation.ts';
import { allocateDay, usedMeasure, type UseOfEndUser } from '../../../../subgraphs/costing/fixed-costs/allocate-day.ts';
import { amountOfDay, daysBetween } from '../../../../subgraphs/costing/fixed-costs/amount-of-day.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { DRIVERS, type Period } from '../../../../subgraphs/costing/fixed-costs/fixed-cost.ts';

const use = (externalId: string, measure: string, events = 1): UseOfEndUser => ({
  externalId,
  events,
  measure: amount(measure),
});
const terms = { driver: 'tokens', capacity: null, shares: [] } as const;
const carried = (shares: ReturnType<typeof allocateDay>) =>
  Object.fromEntries(shares.map((share) => [share.externalId || share.carrier, plain(share.amount)]));

describe('an allocation of a day', () => {
  /**
   * "Allocating a shared cost of 100" of the FinOps consortium (SCA, FOCUS 1.3): use of 3, 2 and 1 out of six,
   * with amounts shown to six digits.
   */
  it('divides by use, and gives what rounding leaves over to the largest remainders', () => {
    const shares = allocateDay(terms, amount('100'), [use('c', '1'), use('a', '3'), use('b', '2')]);
    expect(carried(shares)).toEqual({ a: '50', b: '33.333333333333333', c: '16.666666666666667' });
  });

  it.each([
    ['half of the capacity was used', { capacity: amount('12') }, [use('a', '6')], { a: '50', idle: '50' }],
    [
      'more than the capacity was used',
      { capacity: amount('4') },
      [use('a', '6'), use('b', '2')],
      { a: '75', b: '25' },
    ],
    ['no use, with a capacity', { capacity: amount('12') }, [], { idle: '100' }],
    ['no use, without a capacity', {}, [], { unallocated: '100' }],
    ['events without an end user', {}, [use('', '1'), use('a', '1')], { a: '50', unassigned: '50' }],
    ['costs that a correction made negative', { driver: 'cost' }, [use('a', '-3'), use('b', '1')], { b: '100' }],
    [
      'equal parts for active end users',
      { driver: 'equal' },
      [use('', '9'), use('a', '9'), use('b', '1')],
      { a: '50', b: '50' },
    ],
    [
      'equal parts, but nobody was active',
      { driver: 'equal' },
      [use('', '9'), use('a', '0', 0)],
      { unallocated: '100' },
    ],
    [
      'fixed shares, whatever was used',
      {
        driver: 'shares',
        shares: [
          { externalId: 'a', percent: '60' },
          { externalId: 'b', percent: '25' },
        ],
      },
      [use('c', '9')],
      { a: '60', b: '25', unallocated: '15' },
    ],
    ['a cost that stays', { driver: 'none' }, [use('a', '1')], { unallocated: '100' }],
  ] as const)('divides the amount if %s', (_, more, uses, expected) => {
    expect(carried(allocateDay({ ...terms, ...more }, amount('100'), uses))).toEqual(expected);
  });

  it('adds up to the last digit, and does not depend on the order', () => {
    const uses = fc.uniqueArray(
      fc.record({
        externalId: fc.constantFrom('', 'a', 'b', 'c', 'd', 'e', 'f'),
        events: fc.nat(5),
        measure: fc.bigInt(-(10n ** 20n), 10n ** 24n),
      }),
      { selector: ({ externalId }) => externalId },
    );
    const shares = fc.constantFrom(
      [{ externalId: 'a', percent: '33.333333' }],
      [
        { externalId: 'a', percent: '50' },
        { externalId: 'z', percent: '50' },
      ],
    );
    const capacity = fc.option(fc.bigInt(1n, 10n ** 25n));
    fc.assert(
      fc.property(
        fc.record({ driver: fc.constantFrom(...DRIVERS), shares, capacity }),
        fc.bigInt(0n, 10n ** 24n),
        uses,
        (drawn, dayAmount, used) => {
          const divided = allocateDay(drawn, dayAmount, used);
          expect(divided.reduce((total, share) => total + share.amount, 0n)).toBe(dayAmount);
          expect(divided.every((share) => share.amount >= 0n)).toBe(true);
          expect(allocateDay(drawn, dayAmount, used.toReversed())).toEqual(divided);
        },
      ),
    );
  });
});

describe('the measured use of a day', () => {
  it('leaves out end users whose cost is negative after a correction, and is unknown if the driver measures no use', () => {
    const uses = [use('a', '-3'), use('b', '1'), use('', '4')];
    expect(plain(usedMeasure({ driver: 'cost' }, uses)!)).toBe('5');
    expect(usedMeasure({ driver: 'equal' }, uses)).toBeNull();
  });

  it.each([
    ['tokens', '4', { price: '25000000', per: '1000000' }],
    ['events', '4', { price: '25', per: '1' }],
    ['units', '4', { price: '25', per: '1' }],
    ['units', '0', { price: null, per: '1' }],
    ['cost', '4', null],
    ['equal', null, null],
  ] as const)('has a price for %s', (driver, driverTotal, expected) => {
    const day = { day: '2026-03-01', revision: 1, amount: '100', used: '100', idle: '0', capacity: null };
    const sums = { driverTotal, modelCost: '0', listCost: null, replacedCost: '0' };
    const found = effectivePriceOf({ driver }, utilisationOf([{ ...day, ...sums }]));
    expect(found && { price: found.price && plain(found.price), per: plain(found.per) }).toEqual(expected);
  });
});

it('capacity breaks even at a percentage of its use, which is null if the same calls cost nothing by token', () => {
  const breakEven = (modelCost: string, listCost: string | null, capacity: string | null = '100') => {
    const day = { day: '2026-03-01', revision: 1, amount: '10', used: '10', idle: '0', replacedCost: '0' };
    const found = utilisationOf([{ ...day, driverTotal: '50', capacity, modelCost, listCost }]);
    return [found.breakEvenPercent, found.listBreakEvenPercent];
  };
  expect(breakEven('20', '40')).toEqual([25, 12.5]);
  expect(breakEven('20', null)).toEqual([25, null]);
  expect(breakEven('20', '40', null)).toEqual([null, null]);
  expect(breakEven('0', '0')).toEqual([null, null]);
  // Costs are negative after a correction.
  expect(breakEven('-20', '-40')).toEqual([null, null]);
});

describe('the amount of a day', () => {
  const period = (more: Partial<Period>): Period => ({
    fromDay: '2026-02-01',
    untilDay: null,
    amount: money('100'),
    per: 'month',
    quantity: ONE,
    ...more,
  });

  it.each([
    ['hour', '2400'],
    ['day', '100'],
  ] as const)('per %s', (per, expected) => {
    expect(plain(amountOfDay([period({ per })], '2026-02-10')!)).toBe(expected);
  });

  it('is null outside of the periods', () => {
    const periods = [period({ untilDay: '2026-02-03' }), period({ fromDay: '2026-02-05' })];
    const days = ['2026-01-31', '2026-02-02', '2026-02-03', '2026-02-04', '2026-02-05'];
    expect(days.map((day) => amountOfDay(periods, day) !== null)).toEqual([false, true, false, false, true]);
  });

  it('adds up to the amount of its month or period', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('month', 'period'),
        fc.integer({ min: 2024, max: 2030 }),
        fc.integer({ min: 1, max: 12 }),
        fc.bigInt(1n, 10n ** 24n),
        (per, year, month, total) => {
          const from = `${year}-${String(month).padStart(2, '0')}-01`;
          const until = month === 12 ? `${year + 1}-01-01` : `${year}-${String(month + 1).padStart(2, '0')}-01`;
          const periods = [period({ fromDay: from, untilDay: until, per, amount: money(plain(total)) })];
          let sum = 0n;
          for (let day = from; day < until; day = addDays(day, 1)) sum += amountOfDay(periods, day)!;
          expect(sum).toBe(total);
          expect(daysBetween(from, until)).toBeGreaterThan(27);
        },
      ),
    );
  });
});
