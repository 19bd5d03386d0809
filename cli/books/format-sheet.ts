/** Formats a sheet as lines for people, and its table as CSV. */
import { csvLine } from '#kernel/csv-line.ts';
import { aligned, pairs } from '../kit/table.ts';
import type { Column, Sheet } from './sheet.ts';
import { formatValue } from './format-value.ts';

export function formatSheet({ facts, columns, rows, remarks }: Sheet): string {
  const parts = [
    pairs(facts),
    columns.length === 0 ? [] : rows.length === 0 ? ['Nothing to show.'] : table(columns, rows),
    remarks.map((remark) => formatValue(remark, 'text')),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function table(columns: readonly Column[], rows: Sheet['rows']): string[] {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ name, kind }) => formatValue(row[name], kind))),
  ];
  const {
    lines: [heading = '', ...lines],
    widths,
  } = aligned(cells, (column) => columns[column]?.kind !== 'text');
  return [heading, widths.map((width) => '─'.repeat(width)).join('  '), ...lines];
}

/** RFC 4180, with the fields' own names and all digits. The last line has no line break: printing adds it. */
export function formatCsv({ columns, rows }: Sheet): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ name }) => csvCell(row[name])))];
  return lines.map(csvLine).join('').replace(/\r\n$/, '');
}

function csvCell(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
