/** Opens a row of sums: amounts of the ledger, counts as numbers, null where no one reported. */
import { amount, type Amount } from '../../../kernel/money.ts';
import { percent } from '../../../kernel/percent.ts';
import type { MeasureRow } from '../measures/measure.ts';

export interface Figures {
  readonly totalCost: Amount;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationInputTokens: number | null;
  readonly cacheReadInputTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly inputCost: Amount;
  readonly outputCost: Amount;
  readonly cacheCreationCost: Amount | null;
  readonly cacheReadCost: Amount | null;
  readonly reasoningCost: Amount | null;
  readonly eventCount: number;
  readonly percentOfTotal: number;
}

/** `total` is what the share is of. */
export function figures(row: MeasureRow, total: Amount): Figures {
  const totalCost = amount(row.totalCost);
  return {
    totalCost,
    inputTokens: Number(row.inputTokens),
    outputTokens: Number(row.outputTokens),
    cacheCreationInputTokens: reported(row.cacheCreationInputTokens, Number),
    cacheReadInputTokens: reported(row.cacheReadInputTokens, Number),
    reasoningTokens: reported(row.reasoningTokens, Number),
    inputCost: amount(row.inputCost),
    outputCost: amount(row.outputCost),
    cacheCreationCost: reported(row.cacheCreationCost, amount),
    cacheReadCost: reported(row.cacheReadCost, amount),
    reasoningCost: reported(row.reasoningCost, amount),
    eventCount: Number(row.eventCount),
    percentOfTotal: share(totalCost, total),
  };
}

/** Percentage of a total, 0 when the total is zero (decision 9, D27). */
export function share(part: Amount, total: Amount): number {
  return percent(part, total) ?? 0;
}

/** Sum of the rows' costs. */
export function totalOf(rows: readonly { readonly totalCost: string }[]): Amount {
  return rows.reduce((total, row) => total + amount(row.totalCost), 0n);
}

function reported<T>(text: string | null, open: (text: string) => T): T | null {
  return text === null ? null : open(text);
}
