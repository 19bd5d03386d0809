/** CSV of the command line is opened in spreadsheets like that of the pages. */
import { expect, it } from 'vitest';
import { formatCsv } from '../../../cli/books/format-sheet.ts';

it.each([
  ['=HYPERLINK("http://evil.example")', `"'=HYPERLINK(""http://evil.example"")"`],
  [' =1+1', "' =1+1"],
  ['\n=1+1', `"'\n=1+1"`],
  ['＝1+1', "'＝1+1"],
  ['-0.5', '-0.5'],
  ['gpt-4o', 'gpt-4o'],
  [null, ''],
  [['a', 'b'], `"[""a"",""b""]"`],
])('a cell of %j is written to CSV as %s', (value, cell) => {
  const columns = [{ name: 'model', title: 'Model', kind: 'text' as const }];
  expect(formatCsv({ facts: [], columns, rows: [{ model: value }], remarks: [] })).toBe(`model\r\n${cell}`);
});
