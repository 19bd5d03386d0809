/**
 * Bills are derived from generated events, and faults are planted in them. The explanation names exactly those faults, by
 * the model and day in which they were planted, and the shares add up to the last digit.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { money, type Money, plain, quantity, sum } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import { runToEnd } from '../../support/run-to-end.ts';
import { compareBill } from '../../../subgraphs/reconciliation/comparison/compare-bill.ts';
import type { BillCause } from '../../../subgraphs/reconciliation/comparison/bill-comparison.ts';
import type { KnownPrice, OwnCharge } from '../../../subgraphs/reconciliation/comparison/own-charge.ts';
import { type BillLine, billLine } from '../../../subgraphs/reconciliation/lines/bill-line.ts';
import { addDays } from '#kernel/time/utc-day.ts';

/** USD per million tokens, as published. */
const PRICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'claude-opus-5': { input: '5', output: '25', cacheRead: '0.5' },
  'claude-sonnet-5': { input: '2', output: '10', cacheRead: '0.2' },
  'claude-haiku-4-5': { input: '1', output: '5', cacheRead: '0.1' },
};
const MODELS = Object.keys(PRICES);
const CLASSES = ['input', 'output', 'cacheRead'] as const satisfies readonly TokenClass[];
const MILLION = quantity(1_000_000);
const HALF = quantity('0.5');

interface Event {
  readonly day: string;
  readonly model: string;
  readonly key: string;
  readonly tier: '' | 'tier=batch';
  readonly tokens: readonly number[];
}

const priceOf = (model: string, tokenClass: string, context: string): Money => {
  const price = money(PRICES[model]![tokenClass]!).div(MILLION);
  return context === 'tier=batch' ? price.times(HALF) : price;
};

const KNOWN: readonly KnownPrice[] = MODELS.flatMap((model) =>
  CLASSES.flatMap((tokenClass) =>
    ['', 'tier=batch'].map((context) => ({
      model,
      tokenClass,
      context,
      perToken: priceOf(model, tokenClass, context),
      from: null,
      until: null,
      isNegotiated: false,
    })),
  ),
);

/** The charges of the events according to the books. */
function booksOf(events: readonly Event[]): OwnCharge[] {
  const groups = Map.groupBy(events, ({ day, model, tier }) => `${day}|${model}|${tier}`);
  return [...groups.values()].flatMap((group) =>
    CLASSES.map((tokenClass, index): OwnCharge => {
      const { day, model, tier } = group[0]!;
      const count = quantity(group.reduce((total, { tokens }) => total + tokens[index]!, 0));
      const amount = count.times(priceOf(model, tokenClass, tier));
      return {
        day,
        provider: 'anthropic',
        model,
        context: tier,
        tokenClass,
        unit: 'tokens',
        quantity: count,
        list: amount,
        amount,
      };
    }).filter(({ quantity }) => !quantity.isZero()),
  );
}

/** The provider's bill for the events: a line for each key, class and tier. */
function billOf(events: readonly Event[], statesTier: boolean): BillLine[] {
  const groups = Map.groupBy(events, ({ day, model, tier, key }) => `${day}|${model}|${tier}|${key}`);
  return [...groups.values()].flatMap((group) =>
    CLASSES.flatMap((tokenClass, index) => {
      const { day, model, tier, key } = group[0]!;
      const count = quantity(group.reduce((total, { tokens }) => total + tokens[index]!, 0));
      if (count.isZero()) return [];
      return [
        billLine({
          day,
          label: `${model} ${tokenClass}`,
          provider: 'anthropic',
          meaning: {
            rule: 'test',
            verified: true,
            kind: 'usage',
            model,
            tokenClass,
            context: statesTier ? tier : '',
            unit: 'tokens',
            per: 1,
          },
          quantity: count,
          net: count.times(priceOf(model, tokenClass, tier)),
          currency: 'USD',
          scopes: [`key:${key}`],
          digits: 12,
        }),
      ];
    }),
  );
}

type Fault = 'drop' | 'double' | 're-tier' | 'discount' | 'shift' | 'convert' | 'silent key' | 'class';

const FAULTS: readonly Fault[] = ['drop', 'double', 're-tier', 'discount', 'shift', 'convert', 'silent key', 'class'];
const CAUSES: Readonly<Record<Fault, BillCause>> = {
  drop: 'MISSING_EVENTS',
  double: 'EXTRA_EVENTS',
  're-tier': 'CONTEXT',
  discount: 'DISCOUNT',
  shift: 'DAY_SHIFT',
  convert: 'CURRENCY',
  'silent key': 'SILENT_SCOPE',
  class: 'TOKEN_CLASSES',
};

const FIRST = '2026-10-01';
const event = (day: string, model: string) =>
  fc
    .record({
      key: fc.constantFrom('key_a', 'key_b', 'key_c'),
      tokens: fc.tuple(
        fc.integer({ min: 1, max: 90_000 }),
        fc.integer({ min: 1, max: 9_000 }),
        fc.integer({ min: 0, max: 50_000 }),
      ),
    })
    .map(({ key, tokens }): Event => ({ day, model, key, tier: '', tokens }));

/** Three days of three models, each with at least three events of different sizes. */
const history = fc
  .tuple(
    ...[0, 1, 2].flatMap((offset) =>
      MODELS.map((model) => fc.array(event(addDays(FIRST, offset), model), { minLength: 3, maxLength: 5 })),
    ),
  )
  .map((groups) => groups.flat());

interface Planted {
  readonly own: readonly OwnCharge[];
  readonly lines: readonly BillLine[];
  /** `day model` of everything that may be blamed. Null model: the whole day. */
  readonly expected: readonly string[];
}

function plant(fault: Fault, events: readonly Event[], model: string, statesTier: boolean): Planted {
  const day = addDays(FIRST, 1);
  const isHit = (candidate: Event) => candidate.day === day && candidate.model === model;
  const hit = events.findIndex(isHit);
  const bill = billOf(events, statesTier);
  const named = [`${day} ${model}`];
  switch (fault) {
    case 'drop':
      return { own: booksOf(events.filter((_, index) => index !== hit)), lines: bill, expected: named };
    case 'double':
      return { own: booksOf([...events, events[hit]!]), lines: bill, expected: named };
    case 're-tier':
      return {
        own: booksOf(events),
        lines: billOf(
          events.map((item) => (isHit(item) ? { ...item, tier: 'tier=batch' } : item)),
          statesTier,
        ),
        expected: named,
      };
    case 'discount':
      return {
        own: booksOf(events),
        lines: bill.map((line) => (line.day === day ? { ...line, net: line.net!.times(quantity('0.8')) } : line)),
        expected: MODELS.map((name) => `${day} ${name}`),
      };
    case 'shift': {
      const next = addDays(day, 1);
      return {
        own: booksOf(events),
        lines: billOf(
          events.map((item, index) => (index === hit ? { ...item, day: next } : item)),
          statesTier,
        ),
        expected: [`${day} ${model}`, `${next} ${model}`],
      };
    }
    case 'convert':
      return {
        own: booksOf(events),
        lines: bill.map((line) =>
          line.day === day ? { ...line, currency: 'PLN', net: line.net!.times(quantity('3.763')) } : line,
        ),
        expected: MODELS.map((name) => `${day} ${name}`),
      };
    case 'silent key': {
      const silent = events.map((item) => (item.day === day && item.key === 'key_a' ? null : item));
      return {
        own: booksOf(silent.filter((item) => item !== null)),
        lines: bill,
        expected: MODELS.filter((name) =>
          events.some((item) => item.day === day && item.key === 'key_a' && item.model === name),
        ).map((name) => `${day} ${name}`),
      };
    }
    case 'class': {
      const moved = events.map((item, index) =>
        index === hit ? { ...item, tokens: [item.tokens[0]! + item.tokens[2]! + 7, item.tokens[1]!, 0] } : item,
      );
      const real = events.map((item, index) =>
        index === hit ? { ...item, tokens: [item.tokens[0]!, item.tokens[1]!, item.tokens[2]! + 7] } : item,
      );
      return { own: booksOf(moved), lines: billOf(real, statesTier), expected: named };
    }
  }
}

function explain(planted: Pick<Planted, 'own' | 'lines'>) {
  const days = runToEnd(compareBill({ ...planted, prices: KNOWN, untracked: new Set(), unsettled: new Map() }));
  for (const day of days) {
    for (const { difference, causes, unexplained } of day.differences)
      expect(plain(sum([...causes.map(({ amount }) => amount), unexplained!]))).toBe(plain(difference!));
    expect(plain(sum(day.differences.map(({ difference }) => difference!)))).toBe(plain(day.billed.minus(day.own!)));
  }
  return days;
}

it('reconciliation explains nothing if nothing is wrong', () => {
  fc.assert(
    fc.property(history, fc.boolean(), (events, statesTier) => {
      const days = explain({ own: booksOf(events), lines: billOf(events, statesTier) });
      expect(days.map(({ quantityVerdict, amountVerdict }) => [quantityVerdict, amountVerdict])).toEqual(
        days.map(() => ['AGREES', 'AGREES']),
      );
    }),
    { numRuns: 10 },
  );
});

it.each(FAULTS)('reconciliation names just the fault that was planted: %s', (fault) => {
  fc.assert(
    fc.property(history, fc.constantFrom(...MODELS), fc.boolean(), (events, model, statesTier) => {
      // A key that reports nothing cannot be distinguished from a key whose only event was lost, so each event is
      // doubled.
      const planted = plant(fault, fault === 'drop' ? events.flatMap(twoCalls) : events, model, statesTier);
      fc.pre(planted.expected.length > 0);
      const found = explain(planted).flatMap((day) =>
        day.differences.flatMap((difference) =>
          difference.causes
            .filter(({ cause }) => cause !== 'ROUNDING')
            .map(({ cause }) => ({ cause, where: `${day.day} ${difference.model}` })),
        ),
      );
      expect([...new Set(found.map(({ cause }) => cause))]).toEqual([CAUSES[fault]]);
      expect([...new Set(found.map(({ where }) => where))].sort()).toEqual([...planted.expected].sort());
      for (const day of explain(planted)) expect(plain(day.unexplained!)).toBe('0');
    }),
    { numRuns: 15 },
  );
});

function twoCalls(item: Event): Event[] {
  return [item, { ...item, tokens: item.tokens.map((count) => count + 11) }];
}

it('reconciliation explains the same differences whatever the order of the lines is', () => {
  fc.assert(
    fc.property(history, fc.constantFrom(...FAULTS), (events, fault) => {
      const { own, lines } = plant(fault, events, MODELS[0]!, true);
      const print = (days: ReturnType<typeof explain>) =>
        days.map((day) =>
          day.differences.map(({ causes }) => causes.map(({ cause, amount }) => `${cause} ${plain(amount)}`)),
        );
      expect(print(explain({ own: own.toReversed(), lines: lines.toReversed() }))).toEqual(
        print(explain({ own, lines })),
      );
    }),
    { numRuns: 10 },
  );
});
