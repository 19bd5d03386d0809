/** Counts the rows of an imported file by outcome and reason. */
import { type ConvertedRow, type Fields, SKIP_REASONS } from './history-row.ts';

/** Calls outside are skipped; ISO 8601, `until` is exclusive. Null: no limit. */
export interface ImportedTime {
  readonly since: string | null;
  readonly until: string | null;
}

/** The counted part of a response of the ingestion endpoints. */
export interface IngestedItems {
  /** Includes duplicates. */
  readonly accepted?: number;
  readonly duplicates?: number;
  readonly failed?: number;
  readonly results?: readonly { readonly status?: string; readonly message?: string }[];
}

export class ImportCounts {
  rows = 0;
  accepted = 0;
  duplicates = 0;
  /** Start times of the first and last call; null without calls. */
  first: string | null = null;
  last: string | null = null;
  readonly skipped = new Map<string, number>();
  readonly refused = new Map<string, number>();

  /** Returns the item to send, or null for a row that is not sent. */
  take(row: ConvertedRow, { since, until }: ImportedTime): Fields | null {
    if (row.kind === 'skipped') countUp(this.skipped, row.reason);
    if (row.kind === 'refused') countUp(this.refused, row.reason);
    if (row.kind !== 'call') return null;
    const { invokedAt, item } = row;
    const time = Date.parse(invokedAt);
    if ((since !== null && time < Date.parse(since)) || (until !== null && time >= Date.parse(until))) {
      countUp(this.skipped, 'outside the chosen time');
      return null;
    }
    if (this.first === null || invokedAt < this.first) this.first = invokedAt;
    if (this.last === null || invokedAt > this.last) this.last = invokedAt;
    return item;
  }

  add({ accepted = 0, duplicates = 0, results = [] }: IngestedItems): void {
    this.accepted += accepted;
    this.duplicates += duplicates;
    for (const { status, message = 'no reason given' } of results) {
      if (status === 'rejected') countUp(this.refused, message);
      if (status === 'ignored') countUp(this.skipped, SHOWN.get(message) ?? message);
    }
  }

  get skippedRows(): number {
    return sumOf(this.skipped);
  }

  get refusedRows(): number {
    return sumOf(this.refused);
  }
}

const SHOWN: ReadonlyMap<string, string> = new Map(Object.entries(SKIP_REASONS));

const REASONS_SHOWN_MAX = 10;

/** The most frequent reasons; all others are counted together. */
export function frequentReasons(reasons: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  const sorted = [...reasons].sort(([, a], [, b]) => b - a);
  const rest = sorted.slice(REASONS_SHOWN_MAX).reduce((sum, [, rows]) => sum + rows, 0);
  return [...sorted.slice(0, REASONS_SHOWN_MAX), ...(rest === 0 ? [] : [['other reasons', rest] as const])];
}

function countUp(reasons: Map<string, number>, reason: string): void {
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
}

function sumOf(reasons: ReadonlyMap<string, number>): number {
  return [...reasons.values()].reduce((sum, rows) => sum + rows, 0);
}
