/** The counts of an import as lines for a terminal. */
import { frequentReasons, type ImportCounts } from '../../../packages/history-files/import-counts.ts';
import { formatValue } from '../format-value.ts';

export function countLines(counts: ImportCounts): string[] {
  return [
    `Rows: ${count(counts.rows)}`,
    `Booked: ${count(counts.accepted - counts.duplicates)}`,
    `Already booked: ${count(counts.duplicates)}`,
    `Skipped: ${count(counts.skippedRows)}`,
    ...reasonLines(counts.skipped),
    `Refused: ${count(counts.refusedRows)}`,
    ...reasonLines(counts.refused),
  ];
}

function reasonLines(reasons: ReadonlyMap<string, number>): string[] {
  return frequentReasons(reasons).map(([reason, rows]) => `  ${count(rows)}: ${formatValue(reason, 'text')}`);
}

function count(rows: number): string {
  return formatValue(rows, 'count');
}
