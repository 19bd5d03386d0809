import { describe, expect, it } from 'vitest';
import { printExactJson } from '../../kernel/exact-json.ts';
import { ListPrinter } from '../../kernel/printed-list.ts';

function printed(items: readonly unknown[]) {
  const list = new ListPrinter();
  for (const item of items) {
    list.begin();
    list.putText(printExactJson(item));
  }
  return { count: list.count, list: list.end() };
}

describe('a list that is printed item by item', () => {
  it.each<[string, unknown[]]>([
    ['nothing', []],
    ['one item', [{ a: 'ä€😀"\\' }]],
    ['items that fill many parts', Array.from({ length: 5_000 }, (_, index) => ({ index, text: 'ä€😀'.repeat(9) }))],
    ['an item that is larger than a part', [1, 'é'.repeat(200_000), 2]],
  ])('is the list, of %s', (_, items) => {
    const { count, list } = printed(items);
    expect(count).toBe(items.length);
    expect(Buffer.concat(list.parts).toString()).toBe(printExactJson(items));
    expect(list.toJSON()).toEqual(items);
  });

  it('takes bytes out of the middle of others', () => {
    const list = new ListPrinter();
    list.begin();
    list.put(Buffer.from('{"a":12345}'), 5, 8);
    list.begin();
    list.put(Buffer.from('true'));
    expect(Buffer.concat(list.end().parts).toString()).toBe('[123,true]');
  });
});
