/** Pages of lists: bounds of `first`, cursors, and which pages have neighbours. */
import { describe, expect, it } from 'vitest';
import {
  keysetCursor,
  pageOf,
  parseKeyset,
  parseKeysetPage,
  parsePage,
  toConnection,
  toKeysetConnection,
} from '#kernel/page-cursor.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64url');
const ID = '0199a1b2-7c00-7000-8000-00000000c0de';

describe('a page by position', () => {
  it.each([
    [{ first: 1 }, { limit: 1, offset: 0 }],
    [
      { first: 50, after: null },
      { limit: 50, offset: 0 },
    ],
    [
      { first: 5, after: base64('after:7') },
      { limit: 5, offset: 7 },
    ],
    [
      { first: 5, after: base64('after:999999999999999') },
      { limit: 5, offset: 999_999_999_999_999 },
    ],
  ])('%j is %j', (input, page) => {
    expect(parsePage(input, 50)).toEqual(page);
  });

  it.each([0, -1, 51])('refuses first: %d of at most 50', (first) => {
    expect(() => parsePage({ first }, 50)).toThrow('first must be from 1 to 50');
    expect(() => parseKeysetPage({ first }, 50)).toThrow('first must be from 1 to 50');
  });

  it.each([
    '',
    base64('7'),
    base64('after:-1'),
    base64('after:1000000000000000'),
    base64('after:7 '),
    base64('x after:7'),
  ])('refuses the cursor %j', (after) => {
    expect(() => parsePage({ first: 5, after }, 50)).toThrow('after must be a cursor of this list');
  });

  it.each([
    [['a', 'b'], 5, 0, { hasNextPage: true, hasPreviousPage: false }],
    [['c', 'd'], 5, 2, { hasNextPage: true, hasPreviousPage: true }],
    [['e'], 5, 4, { hasNextPage: false, hasPreviousPage: true }],
    [['a', 'b'], 2, 0, { hasNextPage: false, hasPreviousPage: false }],
    [['b'], 2, 1, { hasNextPage: false, hasPreviousPage: true }],
  ])('the page %j of %d after %d has %j', (nodes, total, offset, neighbors) => {
    const cursors = nodes.map((_, index) => base64(`after:${offset + index + 1}`));
    expect(toConnection(nodes, total, { limit: 2, offset })).toEqual({
      nodes,
      edges: nodes.map((node, index) => ({ node, cursor: cursors[index] })),
      pageInfo: { ...neighbors, startCursor: cursors[0], endCursor: cursors.at(-1) },
      totalCount: total,
    });
  });

  it('an empty page has no cursors', () => {
    expect(toConnection([], 0, { limit: 2, offset: 0 }).pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: null,
      endCursor: null,
    });
  });

  it('is taken from a list in memory', () => {
    expect(pageOf(['a', 'b', 'c', 'd'], { limit: 2, offset: 1 })).toEqual(['b', 'c']);
  });
});

describe('a page by its last item', () => {
  it('starts at the beginning or after an id', () => {
    expect(parseKeysetPage({ first: 5 }, 50)).toEqual({ limit: 5, after: null });
    expect(parseKeysetPage({ first: 50, after: base64(`["${ID}"]`) }, 50)).toEqual({ limit: 50, after: ID });
  });

  it.each(['', '[]', '["x"]', `["${ID}","x"]`, `"${ID}"`, `{"0":"${ID}"}`, '[5]'])(
    'refuses the cursor of %j',
    (text) => {
      expect(() => parseKeysetPage({ first: 5, after: base64(text) }, 50)).toThrow(
        'after must be a cursor of this list',
      );
    },
  );

  const [one, two, three] = ['a', 'b', 'c'].map((id) => ({ id })) as [{ id: string }, { id: string }, { id: string }];
  it.each([
    [[one, two, three], null, ['a', 'b'], { hasNextPage: true, hasPreviousPage: false }],
    [[one, two], null, ['a', 'b'], { hasNextPage: false, hasPreviousPage: false }],
    [[three], 'b', ['c'], { hasNextPage: false, hasPreviousPage: true }],
  ])('%j after %s', (found, after, ids, neighbors) => {
    expect(toKeysetConnection(found, { limit: 2, after })).toEqual({
      nodes: ids.map((id) => ({ id })),
      edges: ids.map((id) => ({ cursor: base64(`["${id}"]`), node: { id } })),
      pageInfo: { ...neighbors, startCursor: base64(`["${ids[0]}"]`), endCursor: base64(`["${ids.at(-1)}"]`) },
    });
  });

  it('has a cursor of several values', () => {
    expect(keysetCursor(['2026-11-26', 'x'])).toBe(base64('["2026-11-26","x"]'));
    expect(parseKeyset(base64('["2026-11-26","x"]'))).toEqual(['2026-11-26', 'x']);
    expect(['', '{}', '[1]', '["x",1]'].map((text) => parseKeyset(base64(text)))).toEqual([[], [], [], []]);
  });
});
