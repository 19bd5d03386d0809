/** Output of the command lines for people. */
import { expect, it } from 'vitest';
import { valueAsText } from '../../../cli/kit/table.ts';

it.each<[string, unknown, string[]]>([
  ['a list of objects as a table', [{ a: 1, b: null }, { a: 'long' }], ['a     b', '1     -', 'long  -']],
  ['an empty list', [], ['None.']],
  ['an object with its lists of objects below', { name: 'x', items: [{ a: 1 }] }, ['name  x', '', 'items:', 'a', '1']],
  [
    'objects with lists of objects one below the other, each list as a table',
    [
      { name: 'x', items: [{ a: 1, b: 2 }] },
      { name: 'y', items: [] },
    ],
    ['name  x', '', 'items:', 'a  b', '1  2', '', 'name   y', 'items  -'],
  ],
])('a value is printed as text: %s', (_title, value, lines) => {
  expect(valueAsText(value).split('\n')).toEqual(lines);
});
