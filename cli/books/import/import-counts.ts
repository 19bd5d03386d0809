/** What became of the rows of an imported file, and why. */
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

  see(invokedAt: string): void {
    if (this.first === null || invokedAt < this.first) this.first = invokedAt;
    if (this.last === null || invokedAt > this.last) this.last = invokedAt;
  }

  get refusedRows(): number {
    return sumOf(this.refused);
  }

  lines(): string[] {
    return [
      `${count(this.rows)} rows read`,
      `${count(this.accepted - this.duplicates)} calls booked`,
      `${count(this.duplicates)} calls known before`,
      ...reasonLines('not calls', this.skipped),
      ...reasonLines('refused', this.refused),
    ];
  }
}

function reasonLines(what: string, reasons: ReadonlyMap<string, number>): string[] {
  const sorted = [...reasons].sort(([, a], [, b]) => b - a);
  const shown = sorted.slice(0, REASONS_SHOWN_MAX);
  const rest = sorted.slice(REASONS_SHOWN_MAX);
  return [
    `${count(sumOf(reasons))} rows ${what}`,
    ...shown.map(([reason, rows]) => `  ${count(rows)}: ${formatValue(reason, 'text')}`),
    ...(rest.length === 0 ? [] : [`  ${count(sumOf(new Map(rest)))}: ${rest.length} other reasons`]),
  ];
}

function sumOf(reasons: ReadonlyMap<string, number>): number {
  return [...reasons.values()].reduce((sum, rows) => sum + rows, 0);
}

function count(rows: number): string {
  return formatValue(rows, 'count');
}
