/** Values for people: rounded, grouped, and without control characters. */
import { expect, it } from 'vitest';
import { formatValue } from '../../../cli/books/format-value.ts';

it.each([
  ['1234567.00005', 'amount', '1,234,567.0001'],
  ['1234567.00004999', 'amount', '1,234,567.0000'],
  ['0.00004', 'amount', '< 0.0001'],
  ['-0.00004', 'amount', '> -0.0001'],
  ['0', 'amount', '0.0000'],
  ['-1234.5', 'amount', '-1,234.5000'],
  [1234567, 'count', '1,234,567'],
  ['999', 'count', '999'],
  [-12.345, 'percent', '-12.35%'],
  ['a\u001b[2J\u202eb', 'text', 'a\ufffd[2J\ufffdb'],
  [null, 'amount', '–'],
  [undefined, 'text', '–'],
] as const)('%j as %s is %s', (value, kind, text) => {
  expect(formatValue(value, kind)).toBe(text);
});
