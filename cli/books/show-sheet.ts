/** A sheet as lines for people. */
import type { Column, Sheet } from './sheet.ts';
import { showValue } from './show-value.ts';

export function showSheet({ facts, columns, rows, remarks }: Sheet): string {
  const width = Math.max(0, ...facts.map(([name]) => name.length));
  const parts = [
    facts.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    columns.length === 0 ? [] : rows.length === 0 ? ['Nothing in this window.'] : table(columns, rows),
    remarks.map((remark) => showValue(remark, 'text')),
  ];
  return parts.filter((lines) => lines.length > 0).map((lines) => lines.join('\n')).join('\n\n');
}

function table(columns: readonly Column[], rows: Sheet['rows']): string[] {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ name, kind }) => showValue(row[name], kind)))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  const aligned = lines.map((line) => line.map((cell, index) => (columns[index]?.kind === 'text' ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0))).join('  ').trimEnd());
  return [aligned[0] ?? '', widths.map((width) => '─'.repeat(width)).join('  '), ...aligned.slice(1)];
}
