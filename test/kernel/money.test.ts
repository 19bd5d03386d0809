import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, money, plain, plainText } from '#kernel/money.ts';
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

  it.each(AMOUNTS.filter(([text]) => text !== '-0'))('%s, never parsed, is printed as %s', (text, shown) => {
    expect(plainText(text)).toBe(shown);
  });

  it('never parsed has no more digits than the ledger', () => {
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
  ])('%s of %s is %s', (part, whole, expected) => {
    expect(percent(amount(part), amount(whole))).toBe(expected);
  });

  it('is what the exact quotient rounds to', () => {
    fc.assert(
      fc.property(UNITS, UNITS, (part, whole) => {
        fc.pre(whole !== 0n);
        const exact = money(String(part)).times(100).div(String(whole)).toDecimalPlaces(2).toNumber();
        expect(percent(part, whole)).toBe(exact === 0 ? 0 : exact);
      }),
    );
  });

  it('of nothing is null', () => {
    expect(percent(5n, 0n)).toBeNull();
  });
});
