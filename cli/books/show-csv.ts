/** A sheet's table as CSV (RFC 4180): the fields' own names, and every digit. */
import type { Sheet } from './sheet.ts';

export function showCsv({ columns, rows }: Sheet): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ name }) => cell(row[name])))];
  return lines.map((line) => line.map(quoted).join(',')).join('\r\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
