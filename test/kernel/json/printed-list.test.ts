import { expect, it } from 'vitest';
import { printExactJson } from '#kernel/json/exact-json.ts';
import { PrintedList } from '#kernel/json/printed-list.ts';

it.each<[string, unknown[]]>([
  ['nothing', []],
  ['one item', [{ a: 'ä€😀"\\' }]],
  ['several items', [1, { b: null }, 'x']],
])('a printed list of %s equals the list', (_, items) => {
  const list = new PrintedList(items.map(printExactJson));
  expect(list.text).toBe(printExactJson(items));
  expect(list.toJSON()).toEqual(items);
});
