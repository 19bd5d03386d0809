import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExactJson } from '#kernel/json/exact-json.ts';
import { parseAmount } from '#kernel/parse-amount.ts';

describe('as JSON', () => {
  test.each([
    ['0', '0'],
    ['-0', '0'],
    ['0e99', '0'],
    ['0.0', '0'],
    ['1', '1'],
    ['1.50', '1.5'],
    ['100', '100'],
    ['1e2', '100'],
    ['1.25E+3', '1250'],
    ['1e-7', '0.0000001'],
    ['0.000000000000001', '0.000000000000001'],
    ['0.123456789012345', '0.123456789012345'],
    ['123456789012.123456789012345', '123456789012.123456789012345'],
    ['999999999999.999999999999999', '999999999999.999999999999999'],
    ['0.10000000000000000000000000', '0.1'],
    ['0.30000000000000004', null],
    ['"0"', '0'],
    ['"0.00"', '0'],
    ['"007.500"', '7.5'],
    ['"0.000000000000001"', '0.000000000000001'],
    ['"999999999999.999999999999999"', '999999999999.999999999999999'],
    ['1000000000000', null],
    ['1e12', null],
    ['1e999999', null],
    ['0.0000000000000001', null],
    ['1e-16', null],
    ['1e-999999', null],
    ['0.1234567890123456789', null],
    ['-1', null],
    ['-0.000000000000001', null],
    ['"1000000000000"', null],
    ['"0.1234567890123456"', null],
    ['"-1"', null],
    ['"-0"', null],
    ['"+1"', null],
    ['"1e2"', null],
    ['"1."', null],
    ['".5"', null],
    ['" 1"', null],
    ['"1\\n"', null],
    ['"1,5"', null],
    ['"$1"', null],
    ['"0x10"', null],
    ['"１"', null],
    ['""', null],
    ['"NaN"', null],
    ['"Infinity"', null],
    ['null', null],
    ['true', null],
    ['[]', null],
    ['[1]', null],
    ['{}', null],
    ['{"rawJSON":"1"}', null],
  ])('%s is %s', (text, amount) => {
    expect(parseAmount(parseExactJson(text))).toBe(amount);
  });
});

test('every amount within the bounds is kept to its last digit, as number and as string', () => {
  const amount = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }), fc.stringMatching(/^(?:\d{0,14}[1-9])?$/));
  fc.assert(
    fc.property(amount, ([whole, fraction]) => {
      const text = fraction === '' ? String(whole) : `${whole}.${fraction}`;
      expect(parseAmount(parseExactJson(text))).toBe(text);
      expect(parseAmount(text)).toBe(text);
    }),
    { numRuns: 1000 },
  );
});
