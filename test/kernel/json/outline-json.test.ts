/** A long JSON text parsed in pieces gives the same value, and invalid JSON is refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonOutline, outlineJson } from '#kernel/json/outline-json.ts';
import { readPieces } from '#kernel/json/read-pieces.ts';

const LIMITS = {
  valuesMax: 1_000_000,
  depthMax: 1_000,
  stringBytesMax: 1_000_000,
  refusesLongNumbers: true,
  elementsMax: 1_000,
};

function finish<Result>(work: Generator<void, Result>): { steps: number; result: Result } {
  for (let steps = 0; ; steps++) {
    const step = work.next();
    if (step.done) return { steps, result: step.value };
  }
}
const outline = (text: string, limits = LIMITS): JsonOutline => finish(outlineJson(Buffer.from(text), limits)).result;
const read = (text: string) => {
  const bytes = Buffer.from(text);
  return finish(readPieces(bytes, outline(text).pieces, JSON.parse as (text: string) => unknown));
};
/** Longer than a piece, so that its brackets are handled one by one. */
const PADDING = JSON.stringify('ü'.repeat(20_000));

describe('pieces', () => {
  it('make the value of the whole text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(
          { a: [PADDING, value, { [PADDING]: value, '"\\': [[value]] }], b: value },
          null,
          indent,
        );
        expect(read(text).result).toEqual(JSON.parse(text));
      }),
      { numRuns: 50 },
    );
  });

  it.each(['{}', '[]', '0', '""', 'null', '{"a":[1]}'])(
    'pieces of half a million small values are parsed in steps: %s',
    (value) => {
      const text = `[${`${value},`.repeat(500_000 / value.length)}${value}]`;
      const { steps, result } = read(text);
      expect(steps).toBeGreaterThan(20);
      expect(result).toHaveLength(Math.floor(500_000 / value.length) + 1);
    },
  );

  it('keep `__proto__` as an ordinary key', () => {
    const { result } = read(
      `{"a":${PADDING},"__proto__":{"x":1},"b":{"__proto__":${PADDING},"c":[${PADDING},${PADDING}]}}`,
    );
    expect(Object.keys(result as object)).toEqual(['a', '__proto__', 'b']);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it.each([
    '[P,]',
    '[,P]',
    '[P',
    '[P}',
    '{P}',
    '{"a":P,}',
    '{"a" P}',
    '{"a":P "b":1}',
    '[P P]',
    '[P]]',
    '[P] 1',
    '[P,[1}]',
    '{"a":[P,P]',
    '[[P],,[P]]',
    '{"a":{"b":P},"c"}',
    '{"a":[P]:1}',
    '[P,01]',
    '[P,"\\x"]',
    '[P,nul]',
    '{,"a":P}',
    '[[P][P]]',
    '[[P],]',
    '{"a":[P],}',
  ])('pieces that are not JSON are refused: %s', (form) => {
    expect(() => read(form.replaceAll('P', PADDING))).toThrow(SyntaxError);
  });
});

describe('an outline', () => {
  it('has the elements of an array, ignoring commas in strings and brackets', () => {
    const text = ' [ {"a":"],[\\"" } , [1,[2]], 3 ] \n';
    const { elements, elementCount, lineCount, depth } = outline(text);
    expect(elements?.map(([start, end]) => text.slice(start, end).trim())).toEqual(['{"a":"],[\\"" }', '[1,[2]]', '3']);
    expect([elementCount, lineCount, depth]).toEqual([3, 1, 3]);
  });

  it('has the lines of values, and counts an object printed over several lines as one', () => {
    const text = '{"a":\n1}\n\n  [2]\r\n"\\n"';
    expect(outline(text).lines.map(([start, end]) => JSON.parse(text.slice(start, end)) as unknown)).toEqual([
      { a: 1 },
      [2],
      '\n',
    ]);
  });

  it.each(['[]', '[ \n ]'])('an outline of the empty array %j has no element', (text) => {
    expect(outline(text)).toMatchObject({ elements: [], elementCount: 0 });
  });

  it.each(['[1,2', '[1}', '[1] 2', '{"a":1}', '1', ''])('an outline of %j has no elements', (text) => {
    expect(outline(text).elements).toBeNull();
  });

  it('stops at the first value that is one too many or too long, and at the first level that is too deep', () => {
    expect(outline('{},'.repeat(1_000), { ...LIMITS, valuesMax: 100 })).toMatchObject({
      values: 101,
      isExceeded: true,
    });
    expect(outline(`[0,${'1'.repeat(40_000)}]`)).toMatchObject({ isExceeded: true });
    expect(outline(`["${'x'.repeat(1_100_000)}"]`)).toMatchObject({ isExceeded: true });
    const escaped = (count: number) =>
      outline(`["${'\\n'.repeat(count)}"]`, { ...LIMITS, stringBytesMax: 5_000_000 }).isExceeded;
    expect([escaped(2_000_000), escaped(2_000_001)]).toEqual([false, true]);
    expect(outline('['.repeat(1_000_000), { ...LIMITS, depthMax: 10 })).toMatchObject({ depth: 11, isExceeded: true });
  });
});
