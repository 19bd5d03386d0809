/** Rows of CSV or TSV (RFC 4180) as records by column name. */
import { BillFormatError } from './bill-line.ts';

export type TableRow = Readonly<Record<string, string>>;

const COLUMNS_MAX = 1_000;

/** The first line names the columns. Commas, tabs or semicolons separate them. */
export function readTable(text: string): TableRow[] {
  const body = text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text;
  const separator = separatorOf(body.slice(0, body.search(/[\r\n]|$/)));
  const rows = split(body, separator);
  const header = rows.next();
  if (header.done === true) throw new BillFormatError('The file is empty');
  const names = header.value.map((name) => name.trim());
  if (names.length < 2 || names.length > COLUMNS_MAX)
    throw new BillFormatError('The first line must name the columns, separated by commas');
  const records: TableRow[] = [];
  let line = 1;
  for (const cells of rows) {
    line++;
    if (cells.length === 1 && cells[0] === '') continue;
    if (cells.length > names.length)
      throw new BillFormatError(`Row ${line} has ${cells.length} values for ${names.length} columns`);
    records.push(Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])));
  }
  return records;
}

function separatorOf(header: string): string {
  const counted = [',', '\t', ';'].map((mark) => ({ mark, count: header.split(mark).length }));
  return counted.reduce((best, other) => (other.count > best.count ? other : best)).mark;
}

function* split(text: string, separator: string): Generator<string[]> {
  let cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      at++;
      for (;;) {
        const quote = text.indexOf('"', at);
        if (quote < 0) throw new BillFormatError('A quoted value does not end');
        cell += text.slice(at, quote);
        at = quote + 1;
        if (text[at] !== '"') break;
        cell += '"';
        at++;
      }
    }
    let end = at;
    while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end++;
    cell += text.slice(at, end);
    cells.push(cell);
    at = end + 1;
    if (text[end] === separator && at < text.length) continue;
    if (text[end] === separator) cells.push('');
    if (text[end] === '\r' && text[at] === '\n') at++;
    yield cells;
    cells = [];
  }
}
