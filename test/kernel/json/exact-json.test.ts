import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isRawNumber,
  JSON_DEPTH_MAX,
  parseExactJson,
  printExactJson,
  sourceOfNumber,
} from '#kernel/json/exact-json.ts';

describe('a number that a double represents exactly is a number', () => {
  test.each([
    ['0', 0],
    ['-0', -0],
    ['1.50', 1.5],
    ['5.00000000000000000000', 5],
    ['1e2', 100],
    ['1E-7', 1e-7],
    ['1e21', 1e21],
    ['9007199254740991', 9007199254740991],
    ['0.30000000000000004', 0.30000000000000004],
    ['5e-324', 5e-324],
    ['0e999999999', 0],
    ['0.000000000000000000000000000000', 0],
    ['1.7976931348623157e308', Number.MAX_VALUE],
  ])('%s', (text, value) => {
    expect(parseExactJson(text)).toBe(value);
  });
});

describe('a number that a double would change keeps its text', () => {
  test.each([
    '9007199254740993',
    '0.1234567890123456789',
    '-0.1234567890123456789',
    '12345678901234567890',
    '1e400',
    '-1E+400',
    '1e-400',
    '1.7976931348623159e308',
    '0.30000000000000005',
    '1e99999999999999999999999',
  ])('%s', (text) => {
    const value = parseExactJson(text);
    expect(isRawNumber(value)).toBe(true);
    expect(sourceOfNumber(value)).toBe(text);
    expect(printExactJson({ cost: [value] })).toBe(`{"cost":[${text}]}`);
  });
});

test('only numbers have a source text that is kept', () => {
  expect(sourceOfNumber(0.1)).toBe('0.1');
  for (const value of ['1', null, undefined, {}, { rawJSON: '1' }, [], true, NaN, Infinity, 1n]) {
    expect(sourceOfNumber(value)).toBeNull();
  }
});

test('digits inside strings are unchanged, whatever quotes and backslashes surround them', () => {
  const text = String.raw`["12345678901234567890","\"9007199254740993","\\",9007199254740993,"\\\"1e999"]`;
  expect(printExactJson(parseExactJson(text))).toBe(text);
});

test('__proto__ is an ordinary key, with and without an inexact number next to it', () => {
  for (const number of ['1', '9007199254740993']) {
    const text = `{"__proto__":{"polluted":${number}},"constructor":1}`;
    const value = parseExactJson(text) as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(printExactJson(value)).toBe(text);
  }
});

test.each([
  ['{"a":9007199254740993,"a":[9007199254740995]}', '{"a":[9007199254740995]}'],
  ['{"a":{"x":9007199254740993},"a":{"y":9007199254740995}}', '{"a":{"y":9007199254740995}}'],
])('the last of several members with the same key counts: %s', (text, printed) => {
  expect(printExactJson(parseExactJson(text))).toBe(printed);
});

describe('depth', () => {
  const nested = (depth: number, core = '') => '['.repeat(depth) + core + ']'.repeat(depth);

  test.each(['', '1', '9007199254740993'])('the deepest allowed nesting is parsed and printed, around "%s"', (core) => {
    const text = nested(JSON_DEPTH_MAX, core);
    expect(printExactJson(parseExactJson(text))).toBe(text);
  });

  test.each([JSON_DEPTH_MAX + 1, 100_000, 2_000_000])('%i levels are a SyntaxError', (depth) => {
    expect(() => parseExactJson(nested(depth, '9007199254740993'))).toThrow(SyntaxError);
    expect(() => parseExactJson('['.repeat(depth))).toThrow(SyntaxError);
    expect(() => parseExactJson('{"a":'.repeat(depth))).toThrow(SyntaxError);
  });

  test('brackets in strings do not count as levels, and hide none', () => {
    expect(parseExactJson(JSON.stringify('['.repeat(5000)))).toHaveLength(5000);
    const hidden = `${'["]]]",'.repeat(JSON_DEPTH_MAX + 1)}1${']'.repeat(JSON_DEPTH_MAX + 1)}`;
    expect(() => parseExactJson(hidden)).toThrow('nested deeper');
  });
});

test.each([
  '',
  ' ',
  '{',
  '[1,]',
  '01',
  '1.',
  '+1',
  'NaN',
  '"\n"',
  '{"a":1,}',
  "{'a':1}",
  '1 2',
  '"',
  '"\\"',
  '-',
  '1e',
  'undefined',
])('%j is a SyntaxError', (text) => {
  expect(() => parseExactJson(text)).toThrow(SyntaxError);
});

test.each([[undefined], [() => 1], [1n]])('values that JSON cannot represent are not printed: %s', (value) => {
  expect(() => printExactJson(value)).toThrow(TypeError);
});

test('a number that a double would change affects nothing else in the surrounding text', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom('', ' ', '\n\t '), (text, space) => {
      const around = `[${space}9007199254740993${space},${space}${text}${space}]`;
      expect((parseExactJson(around) as unknown[])[1]).toEqual(JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

test('the last of two members of one name counts, whatever the numbers', () => {
  expect(printExactJson(parseExactJson('{"a":9007199254740993,"b":1,"a":2}'))).toBe('{"a":2,"b":1}');
  expect(printExactJson(parseExactJson('{"a":1,"a":9007199254740993}'))).toBe('{"a":9007199254740993}');
});

test('escapes in names and texts are read, next to numbers that keep their text', () => {
  const text = String.raw`{"a\"b\\":["\u00e9\n\\", "\\\"", true , false,null, 0.5, -1e-7 ]}`;
  const parsed = parseExactJson(`[${text}, -0.10000000000000000001e-7]`) as unknown[];
  expect(parsed[0]).toEqual(JSON.parse(text));
  expect(sourceOfNumber(parsed[1])).toBe('-0.10000000000000000001e-7');
});

test('agrees with JSON.parse if no number would be changed', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      expect(parseExactJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('every number of any length keeps its value, and parse and print are inverse', () => {
  const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,25})$/);
  const fraction = fc.option(fc.stringMatching(/^\d{1,25}$/), { nil: '' });
  const exponent = fc.option(fc.integer({ min: -400, max: 400 }), { nil: '' });
  fc.assert(
    fc.property(fc.boolean(), digits, fraction, exponent, (negative, whole, after, power) => {
      const text = `${negative ? '-' : ''}${whole}${after && `.${after}`}${power === '' ? '' : `e${power}`}`;
      const printed = printExactJson(parseExactJson(`{"n":${text}}`)).slice(5, -1);
      expect(asFraction(printed)).toEqual(asFraction(text));
    }),
    { numRuns: 2000 },
  );
});

/** Computed independently: the number as an integer over 10^900. */
function asFraction(text: string): bigint {
  const [, sign, whole, after = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text)!;
  return BigInt(`${sign}${whole}${after}`) * 10n ** BigInt(900 - after.length + Number(power));
}
