import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExactJson } from '#kernel/json/exact-json.ts';
import { checkMetadata } from '../../../../subgraphs/costing/events/check-metadata.ts';

const check = (text: string) => checkMetadata(parseExactJson(text));

/** A metadata object whose innermost object or array is on the given level; the metadata object is level 1. */
const nested = (levels: number, open: string, close: string) =>
  `{"a":${open.repeat(levels - 1)}${open === '[' ? '' : '1'}${close.repeat(levels - 1)}}`;

describe('metadata kept as sent', () => {
  test.each([
    '{}',
    '{"":"","a":null,"b":true,"c":[],"d":{"e":[{"f":"🙂"}]}}',
    '{"__proto__":{"x":1},"constructor":"c","toJSON":"t"}',
    '{"n":0.12345678901234567890123456789}',
    '{"n":1234567890123456789012345678901234567891e1}',
    '{"n":1e308,"m":-1e-308}',
    String.raw`{"a":"\\u0000 \\ud800","b":"\u0001\u001f"}`,
  ])('%s', (text) => {
    const { metadata, metadataJson } = check(text);
    expect(metadata).toEqual(parseExactJson(text));
    expect(parseExactJson(metadataJson!)).toEqual(metadata);
  });

  test('stores numbers exactly', () => {
    const text = '{"n":[0.12345678901234567890123456789,9007199254740993]}';
    expect(check(text).metadataJson).toBe(text);
  });

  test('null and absent are both null', () => {
    expect(checkMetadata(undefined)).toEqual({ metadata: null, metadataJson: null });
    expect(checkMetadata(null)).toEqual({ metadata: null, metadataJson: null });
  });
});

describe('rejected metadata', () => {
  test.each([
    ['[]', 'metadata must be a JSON object'],
    ['"x"', 'metadata must be a JSON object'],
    ['1', 'metadata must be a JSON object'],
    ['1e999', 'metadata must be a JSON object'],
    ['false', 'metadata must be a JSON object'],
    [String.raw`{"a":"\u0000"}`, 'metadata.a must not contain a NUL character'],
    [String.raw`{"a":[1,{"b c":"\u0000"}]}`, 'metadata.a[1]["b c"] must not contain a NUL character'],
    [String.raw`{"a":{"\u0000":1}}`, 'metadata.a must not have a key that contains a NUL character'],
    [String.raw`{"\ud800":1}`, 'metadata must not have a key that contains a lone surrogate (it is not valid Unicode)'],
    [String.raw`{"a":[["\udfff"]]}`, 'metadata.a[0][0] must not contain a lone surrogate (it is not valid Unicode)'],
    [String.raw`{"__proto__":{"x":"\u0000"}}`, 'metadata.__proto__.x must not contain a NUL character'],
    ['{"n":1e309}', 'metadata.n must be zero or lie between 1e-308 and 1e308 in magnitude'],
    ['{"n":1e100000}', 'metadata.n must be zero or lie between 1e-308 and 1e308 in magnitude'],
    ['{"n":[-1e-309]}', 'metadata.n[0] must be zero or lie between 1e-308 and 1e308 in magnitude'],
    ['{"n":1e-99999}', 'metadata.n must be zero or lie between 1e-308 and 1e308 in magnitude'],
    [`{"n":${'1'.repeat(41)}}`, 'metadata.n must not have more than 40 significant digits'],
    [`{"n":0.${'3'.repeat(41)}}`, 'metadata.n must not have more than 40 significant digits'],
  ])('%s', (text, message) => {
    expect(() => check(text)).toThrow(message);
  });

  test('values that JSON cannot express', () => {
    for (const value of [undefined, () => 1, 1n, Symbol('x'), NaN, Infinity])
      expect(() => checkMetadata({ a: value })).toThrow('metadata.a');
  });
});

describe('bounds', () => {
  test('32 levels, the metadata object being the first', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      expect(check(nested(32, open, close)).metadata).not.toBeNull();
      for (const levels of [33, 500])
        expect(() => check(nested(levels, open, close))).toThrow('must not be nested deeper than 32 levels');
    }
  });

  test('100 keys on the top level', () => {
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
    expect(checkMetadata(keys(100)).metadata).not.toBeNull();
    expect(checkMetadata({ inner: keys(200) }).metadata).not.toBeNull();
    expect(() => checkMetadata(keys(101))).toThrow('metadata must not have more than 100 keys');
  });

  test('32 KiB as compact JSON in UTF-8', () => {
    const frame = '{"a":""}'.length;
    expect(checkMetadata({ a: 'x'.repeat(32_768 - frame) }).metadataJson).toHaveLength(32_768);
    expect(() => checkMetadata({ a: 'x'.repeat(32_769 - frame) })).toThrow(
      'metadata must not be longer than 32768 bytes as JSON',
    );
    expect(checkMetadata({ a: '€'.repeat((32_768 - frame) / 3) }).metadata).not.toBeNull();
    expect(() => checkMetadata({ a: '€'.repeat((32_768 - frame) / 3 + 1) })).toThrow('32768 bytes');
    expect(check(`{"a":${' '.repeat(40_000)}1}`).metadataJson).toBe('{"a":1}');
  });
});

test('any accepted JSON is stored unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 5 })), (value) => {
      const text = JSON.stringify(value);
      // Skips intentionally rejected input: NUL, lone surrogates, numbers below 1e-308, too many keys.
      fc.pre(!/\\u(?:0000|d[89a-f])/.test(text) && !/e-3/.test(text) && Object.keys(value).length <= 100);
      expect(check(text).metadataJson).toBe(text);
    }),
    { numRuns: 500 },
  );
});
