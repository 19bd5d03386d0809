import { expect, it } from 'vitest';
import { csvLine, exactCsvLine } from '#kernel/csv-line.ts';

it.each([
  '=',
  '+',
  '-',
  '@',
  '\t',
  ' =',
  '\u00a0=',
  '\ufeff=',
  '\u3000+',
  '\u200b=',
  '\u202e-',
  '\u00ad@',
  ' |',
  '＝',
  '＋',
  '－',
  '＠',
  '|',
  '%',
])('a cell that begins with %j is text to a spreadsheet', (start) => {
  expect(csvLine([`${start}1+1`])).toBe(`'${start}1+1\r\n`);
});

it.each(['\r', '\n', '\n='])('a cell that begins with %j within quotes is text to a spreadsheet too', (start) => {
  expect(csvLine([`${start}cmd`])).toBe(`"'${start}cmd"\r\n`);
});

it('numbers and other texts are unchanged, and quotes are doubled', () => {
  expect(csvLine(['-0.25', 7, null, 'plain', 'a "b", c'])).toBe('-0.25,7,,plain,"a ""b"", c"\r\n');
});

it('text for programs is unchanged', () => {
  expect(exactCsvLine(['=1+1', -0.5, null, 'a, b'])).toBe('=1+1,-0.5,,"a, b"\r\n');
});
