import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  amount,
  approximate,
  money,
  type Money,
  plain,
  plainText,
  prorate,
  quantity,
  type Quantity,
  sum,
  toLedger,
} from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';

const AMOUNTS = [
  ['0', '0'],
  ['-0', '0'],
  ['0.000000000000000', '0'],
  ['5', '5'],
  ['10.50', '10.5'],
  ['-0.5', '-0.5'],
  ['-12.000000000000001', '-12.000000000000001'],
  ['0.000000000000001', '0.000000000000001'],
  ['123456789012345678901234567890.123456789012345000', '123456789012345678901234567890.123456789012345'],
] as const;

const UNITS = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });

describe('an amount of the ledger', () => {
  it.each(AMOUNTS)('%s is shown as %s', (text, shown) => {
    expect(plain(amount(text))).toBe(shown);
    expect(plain(money(text))).toBe(shown);
  });

  it.each(AMOUNTS.filter(([text]) => text !== '-0'))('%s is printed from its text as %s', (text, shown) => {
    expect(plainText(text)).toBe(shown);
  });

  it('is printed from its text only if that has no more digits than the ledger', () => {
    expect(() => plainText('0.0000000000000001')).toThrow(RangeError);
    expect(plainText('0.0000000000000010')).toBe('0.000000000000001');
  });

  it.each(['', 'x', '1e3', '.5', '5.', '+5', ' 5', '0x10', '0.0000000000000001', 'NaN', '1,5'])(
    'cannot be parsed from %j',
    (text) => {
      expect(() => amount(text)).toThrow(RangeError);
    },
  );

  it('is parsed and printed like money', () => {
    fc.assert(
      fc.property(UNITS, (units) => {
        const text = plain(units);
        expect(plain(money(text))).toBe(text);
        expect(amount(text)).toBe(units);
        expect(amount(money(text).toFixed(15))).toBe(units);
        expect(plainText(money(text).toFixed(15))).toBe(text);
      }),
    );
  });
});

describe('amounts and quantities', () => {
  const [price, count] = [money('0.5'), quantity(3)];

  it('are multiplied with each other, and amounts are divided by amounts', () => {
    const product: Money = count.times(price);
    const sameProduct: Money = price.times(count);
    const quotient: Quantity = product.div(price);
    const part: Money = prorate(money('10'), money('1'), money('4'));
    expect([product, sameProduct, quotient, part].map(plain)).toEqual(['1.5', '1.5', '3', '2.5']);
  });

  it('are rounded and added up as the same kind', () => {
    const amounts: Money = toLedger(sum([price, price]));
    const counts: Quantity = toLedger(sum([count, count]));
    expect([amounts, counts, sum([])].map(plain)).toEqual(['1', '6', '0']);
  });

  // At run time both kinds are the same class of the library, so only the compiler refuses to mix them. Each line fails
  // the type check if the compiler accepts it.
  it('are not mixed', () => {
    const mixtures = [
      // @ts-expect-error: adds a quantity to an amount
      () => price.plus(count),
      // @ts-expect-error: adds an amount to a quantity
      () => count.plus(price),
      // @ts-expect-error: subtracts a plain number from an amount
      () => price.minus(1),
      // @ts-expect-error: compares an amount with a quantity
      () => price.gt(count),
      // @ts-expect-error: compares an amount with a plain number
      () => price.lte(1),
      // @ts-expect-error: compares an amount with text
      () => price.eq('0.5'),
      // @ts-expect-error: multiplies two amounts
      () => price.times(price),
      // @ts-expect-error: divides a quantity by an amount
      () => count.div(price),
      // @ts-expect-error: adds up both kinds
      () => sum([price, count]),
      // @ts-expect-error: a quantity is not an amount
      (): Money => count,
      // @ts-expect-error: an amount is not a quantity
      (): Quantity => price,
      // @ts-expect-error: a ratio of amounts is not an amount
      (): Money => price.div(price),
    ];
    expect(mixtures).toHaveLength(12);
  });
});

describe('a percentage', () => {
  it.each([
    ['1', '3', 33.33],
    ['2', '3', 66.67],
    ['-2', '3', -66.67],
    ['2', '-3', -66.67],
    ['-2', '-3', 66.67],
    ['1', '800', 0.13],
    ['-1', '800', -0.13],
    ['1', '-800', -0.13],
    ['1', '80000', 0],
    ['-1', '80000', 0],
    ['1', '20000', 0.01],
    ['0.004999999999999', '100', 0],
    ['0.005', '100', 0.01],
    ['0', '5', 0],
    ['123456789012345678', '0.01', Number('1234567890123456780000')],
  ])('%s as a part of %s is %s', (part, whole, expected) => {
    expect(percent(amount(part), amount(whole))).toBe(expected);
  });

  it('is the exact quotient, rounded', () => {
    fc.assert(
      fc.property(UNITS, UNITS, (part, whole) => {
        fc.pre(whole !== 0n);
        const exact = approximate(
          quantity(String(part))
            .times(100)
            .div(quantity(String(whole)))
            .toDecimalPlaces(2),
        );
        expect(percent(part, whole)).toBe(exact);
      }),
    );
  });

  it('a percentage of zero is null', () => {
    expect(percent(5n, 0n)).toBeNull();
  });
});
