/** What commitments show: known answers, and a naive model that counts unit by unit over random terms and histories. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, plain } from '#kernel/money.ts';
import { type CommitmentTerms, periodsUntil } from '../../../../subgraphs/costing/commitments/commitment.ts';
import { toCommitmentView } from '../../../../subgraphs/costing/commitments/commitment-view.ts';
import { forecastPeriod } from '../../../../subgraphs/costing/commitments/forecast-period.ts';
import { fulfilCommitment, type SpentDay } from '../../../../subgraphs/costing/commitments/fulfil-commitment.ts';

type Terms = Pick<CommitmentTerms, 'amount' | 'periodLength' | 'fromDay' | 'untilDay'>;

const monthly: Terms = { amount: amount('10'), periodLength: 'month', fromDay: '2026-01-31', untilDay: null };
const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
const history = (from: string, ...costs: readonly string[]): SpentDay[] =>
  costs.map((cost, index) => ({ day: dayAfter(from, index), spent: amount(cost) }));
const words = (terms: Terms, days: readonly SpentDay[]) =>
  fulfilCommitment(terms, days).map(({ day, cause, amount: value }) => `${day} ${cause} ${plain(value)}`);

describe('periods', () => {
  it.each([
    ['month', '2026-01-31', ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']],
    ['quarter', '2025-11-30', ['2025-11-30', '2026-02-28', '2026-05-30']],
    ['year', '2024-02-29', ['2024-02-29', '2025-02-28', '2026-02-28', '2027-02-28']],
  ] as const)(
    'each %s begins on the same day of the month as the first one, or on the last day of a shorter month',
    (periodLength, fromDay, expected) => {
      const periods = periodsUntil({ periodLength, fromDay, untilDay: null }, expected.at(-2)!);
      expect(periods.map((period) => period.fromDay)).toEqual(expected.slice(0, -2));
      const open = periodsUntil({ periodLength, fromDay, untilDay: null }, dayAfter(expected.at(-2)!, 1));
      expect(open.map((period) => period.untilDay)).toEqual(expected.slice(1));
    },
  );

  it('end with the commitment, and a term is one period', () => {
    const term = { periodLength: 'term', fromDay: '2026-01-15', untilDay: '2026-03-01' } as const;
    expect(periodsUntil(term, '2030-01-01')).toEqual([{ fromDay: '2026-01-15', untilDay: '2026-03-01' }]);
    expect(periodsUntil(term, '2026-01-15')).toEqual([]);
    const ended = { periodLength: 'month', fromDay: '2026-01-15', untilDay: '2026-02-15' } as const;
    expect(periodsUntil(ended, '2030-01-01')).toHaveLength(1);
  });
});

describe('a commitment', () => {
  it('is fulfilled by spending, and a shortfall is due on the last day of a period', () => {
    // 31 January to 27 February, then from 28 February.
    const days = history('2026-01-30', '100', '4', ...Array.from({ length: 26 }, () => '0'), '5', '3', '0');
    expect(words(monthly, days)).toEqual([
      '2026-01-31 spend 4',
      '2026-02-27 spend 5',
      '2026-02-27 shortfall 1',
      '2026-02-28 spend 3',
    ]);
    expect(words(monthly, days.slice(0, 28))).toEqual(['2026-01-31 spend 4']);
    expect(words(monthly, [])).toEqual([]);
  });

  it('has no shortfall if more was spent, and does not carry it over', () => {
    const terms: Terms = { ...monthly, fromDay: '2026-02-01', untilDay: '2026-04-01' };
    const days = history('2026-02-01', '25', ...Array.from({ length: 58 }, () => '0'), '7');
    expect(words(terms, days)).toEqual(['2026-02-01 spend 25', '2026-03-31 shortfall 10']);
  });
});

describe('the day on which a period is fulfilled', () => {
  it.each([
    ['none yet', ['4', '5.999999999999999'], null],
    ['the first on which the amount is reached', ['4', '6', '1'], '2026-03-02'],
    ['none if a correction lowers the spend below it', ['4', '6', '-0.5'], null],
    ['the one that makes up for a correction', ['4', '6', '-0.5', '0.5'], '2026-03-04'],
  ] as const)('is %s', (_, spent, expected) => {
    const amounts = history('2026-03-01', ...spent).map(({ day, spent: cost }) => ({
      day,
      cause: 'spend' as const,
      amount: cost,
    }));
    const commitment = {
      ...{ id: 'id', name: 'name', providerSlug: 'openai', models: null, revision: 1, isRemoved: false },
      ...{ changedAt: new Date(0), amount: amount('10'), periodLength: 'month' as const },
      ...{ fromDay: '2026-03-01', untilDay: '2026-04-01' },
    };
    expect(toCommitmentView(commitment, { amounts, days: [] }, '2026-03-10').current?.fulfilledOn).toBe(expected);
  });
});

describe('a forecast', () => {
  const period = { fromDay: '2026-03-01', untilDay: '2026-03-11' };
  it.each([
    // 2 USD a day; the next day is 5 March, and six days remain.
    ['fulfilled on the last day', '12', ['1', '2', '3', '2'], { fulfilledOn: '2026-03-10', missedBy: 0n }],
    ['fulfilled within a day', '0.1', ['1', '2', '3', '2'], { fulfilledOn: '2026-03-05', missedBy: 0n }],
    ['missed by a little', '12.5', ['1', '2', '3', '2'], { fulfilledOn: null, missedBy: amount('0.5') }],
    ['missed without use', '12', ['0', '0', '0', '0'], { fulfilledOn: null, missedBy: amount('12') }],
    ['none, since nothing is missing', '0', ['1', '2', '3', '2'], null],
    ['none, since no day is settled', '12', [], null],
  ] as const)('says: %s', (_, left, costs, expected) => {
    expect(forecastPeriod(amount(left), period, history('2026-03-01', ...costs))).toEqual(expected);
  });

  it('uses the last 30 days, including those before the period', () => {
    const days = history('2026-01-01', ...Array.from({ length: 59 }, (_, index) => (index < 29 ? '1000' : '1')));
    expect(forecastPeriod(amount('7'), period, days)).toEqual({ fulfilledOn: '2026-03-07', missedBy: 0n });
    const over = { fromDay: '2026-01-01', untilDay: '2026-03-01' };
    expect(forecastPeriod(amount('7'), over, days)).toBeNull();
  });

  it('counts only days of the period, even if it begins after the last settled day', () => {
    const days = history('2026-02-20', '1', '1');
    expect(forecastPeriod(amount('7'), period, days)).toEqual({ fulfilledOn: '2026-03-07', missedBy: 0n });
    expect(forecastPeriod(amount('11'), period, days)).toEqual({ fulfilledOn: null, missedBy: amount('1') });
  });
});

describe('commitments, whatever their terms and costs are', () => {
  const FIRST = '2026-01-01';
  const offset = fc.integer({ min: 0, max: 45 }).map((days) => dayAfter(FIRST, days));
  const terms = fc
    .record({
      amount: fc.bigInt(1n, 120n),
      periodLength: fc.constantFrom('month', 'quarter', 'term'),
      fromDay: offset,
      periods: fc.option(fc.integer({ min: 1, max: 3 })),
    })
    .map(({ periods, ...one }): Terms => {
      if (one.periodLength === 'term') return { ...one, untilDay: dayAfter(one.fromDay, 20 * (periods ?? 4)) };
      const length = one.periodLength === 'month' ? 1 : 3;
      return { ...one, untilDay: periods === null ? null : later(one.fromDay, periods * length) };
    });
  const costs = fc.array(fc.bigInt(-3n, 12n), { maxLength: 130 });

  /** The same day of a later month, or the last one of a shorter month: day by day. */
  function later(from: string, months: number): string {
    const [year, month, date] = from.split('-').map(Number) as [number, number, number];
    const wanted = new Date(Date.UTC(year, month - 1 + months, date));
    while (wanted.getUTCMonth() !== (month - 1 + months) % 12) wanted.setUTCDate(wanted.getUTCDate() - 1);
    return wanted.toISOString().slice(0, 10);
  }

  /** Walks through the days one by one. */
  function naive({ amount: whole, periodLength, fromDay, untilDay }: Terms, all: readonly bigint[]) {
    const spend = new Map<string, bigint>();
    const shortfall = new Map<string, bigint>();
    const ends: string[] = [];
    for (let index = 1; index < 8; index++)
      ends.push(periodLength === 'term' ? untilDay! : later(fromDay, index * (periodLength === 'month' ? 1 : 3)));
    let open = whole;
    for (const [index, cost] of all.entries()) {
      const today = dayAfter(FIRST, index);
      if (today < fromDay || (untilDay !== null && today >= untilDay)) continue;
      if (cost !== 0n) spend.set(today, cost);
      open -= cost;
      if (!ends.includes(dayAfter(today, 1))) continue;
      if (open > 0n) shortfall.set(today, open);
      open = whole;
    }
    return { spend, shortfall };
  }

  it('show what the naive model shows; at the end of a period, spend + shortfall = amount, or more without one', () => {
    fc.assert(
      fc.property(terms, costs, (one, all) => {
        const days = all.map((spent, index) => ({ day: dayAfter(FIRST, index), spent }));
        const found = fulfilCommitment(one, days);
        const of = (cause: string) =>
          new Map(found.filter((each) => each.cause === cause).map((each) => [each.day, each.amount]));
        expect({ spend: of('spend'), shortfall: of('shortfall') }).toEqual(naive(one, all));
        const settled = dayAfter(FIRST, all.length);
        for (const { fromDay, untilDay } of periodsUntil(one, settled)) {
          if (untilDay > settled) continue;
          const inPeriod = found.filter(({ day }) => day >= fromDay && day < untilDay);
          const total = inPeriod.reduce((sum, each) => sum + each.amount, 0n);
          if (inPeriod.some(({ cause }) => cause === 'shortfall')) expect(total).toBe(one.amount);
          else expect(total >= one.amount).toBe(true);
        }
      }),
    );
  });

  it('are forecast like a naive model that adds average days until the period ends', () => {
    const left = fc.bigInt(1n, 200n);
    fc.assert(
      fc.property(left, fc.array(fc.bigInt(0n, 9n), { minLength: 1, maxLength: 40 }), (missing, all) => {
        const days = all.map((spent, index) => ({ day: dayAfter(FIRST, index), spent }));
        const period = { fromDay: FIRST, untilDay: dayAfter(FIRST, 60) };
        const recent = all.slice(-30);
        const sum = recent.reduce((total, spent) => total + spent, 0n);
        let fulfilledOn: string | null = null;
        let daysAhead = 0n;
        for (let day = dayAfter(FIRST, all.length); day < period.untilDay && fulfilledOn === null;) {
          daysAhead++;
          if (sum * daysAhead >= missing * BigInt(recent.length)) fulfilledOn = day;
          day = dayAfter(day, 1);
        }
        const missedBy = fulfilledOn === null ? missing - (sum * daysAhead) / BigInt(recent.length) : 0n;
        expect(forecastPeriod(missing, period, days)).toEqual({ fulfilledOn, missedBy });
      }),
    );
  });
});
