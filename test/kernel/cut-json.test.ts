/** Cutting is what parsing, pruning and printing would be, without the parser. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutDeepJson, isDeeperThan } from '../../kernel/cut-json.ts';

describe('cutDeepJson', () => {
  test.each([
    ['{"a":{"b":[1]},"c":2}', 1, '{"a":null,"c":2}'],
    ['{"a":{"b":[1]},"c":2}', 2, '{"a":{"b":null},"c":2}'],
    ['{"a":{"b":[1]},"c":2}', 3, '{"a":{"b":[1]},"c":2}'],
    ['[[[]],[]]', 2, '[[null],[]]'],
    ['["[[[","\\"[[",{"]":[0]}]', 2, '["[[[","\\"[[",{"]":null}]'],
    ['1', 0, '1'],
  ])('%s at %d levels is %s', (text, levels, expected) => {
    expect(cutDeepJson(text, levels)).toBe(expected);
  });

  test.each(['[[[', '[[]', ']]', '{"a":[', '[["', '[[[}]'])('leaves %s broken', (text) => {
    expect(() => JSON.parse(cutDeepJson(text, 1)) as unknown).toThrow(SyntaxError);
  });

  test('agrees with the parser on any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 5 }), (value, levels) => {
        const cut = JSON.parse(cutDeepJson(JSON.stringify(value), levels)) as unknown;
        expect(cut).toEqual(JSON.parse(JSON.stringify(pruned(value, levels))));
        expect(isDeeperThan(cut, levels)).toBe(false);
        if (!isDeeperThan(value, levels)) expect(cut).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { seed: 1 },
    );
  });
});

function pruned(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => pruned(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, pruned(inner, levels - 1)]));
}
