/** Counts the rows of an imported file by outcome and reason. */
import { formatValue } from '../format-value.ts';

const REASONS_SHOWN_MAX = 10;

export class ImportCounts {
  rows = 0;
  accepted = 0;
  duplicates = 0;
  /** Start times of the first and last call; null without calls. */
  first: string | null = null;
  last: string | null = null;
  readonly skipped = new Map<string, number>();
  readonly refused = new Map<string, number>();

  skip(reason: string): void {
    this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + 1);
  }

  refuse(reason: string): void {
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1);
  }

  extendPeriod(invokedAt: string): void {
    if (this.first === null || invokedAt < this.first) this.first = invokedAt;
    if (this.last === null || invokedAt > this.last) this.last = invokedAt;
  }

  get refusedRows(): number {
    return sumOf(this.refused);
  }

  lines(): string[] {
    return [
      `Rows: ${count(this.rows)}`,
      `Booked: ${count(this.accepted - this.duplicates)}`,
      `Already booked: ${count(this.duplicates)}`,
      ...reasonLines('Skipped', this.skipped),
      ...reasonLines('Refused', this.refused),
    ];
  }
}

function reasonLines(outcome: string, reasons: ReadonlyMap<string, number>): string[] {
  const sorted = [...reasons].sort(([, a], [, b]) => b - a);
  const shown = sorted.slice(0, REASONS_SHOWN_MAX);
  const rest = sorted.slice(REASONS_SHOWN_MAX);
  return [
    `${outcome}: ${count(sumOf(reasons))}`,
    ...shown.map(([reason, rows]) => `  ${count(rows)}: ${formatValue(reason, 'text')}`),
    ...(rest.length === 0 ? [] : [`  ${count(sumOf(new Map(rest)))}: other reasons`]),
  ];
}

function sumOf(reasons: ReadonlyMap<string, number>): number {
  return [...reasons.values()].reduce((sum, rows) => sum + rows, 0);
}

function count(rows: number): string {
  return formatValue(rows, 'count');
}
