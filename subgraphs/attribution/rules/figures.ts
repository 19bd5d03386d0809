/** Opens a row of sums: amounts as money, counts as numbers, null where nobody reported. */
import { money, type Money, ZERO } from '../../../schema/money.ts';
import { percent } from '../../../schema/percent.ts';
import type { MeasureRow } from '../data/measure.ts';

export interface Figures {
  readonly totalCost: Money;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationInputTokens: number | null;
  readonly cacheReadInputTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly inputCost: Money;
  readonly outputCost: Money;
  readonly cacheCreationCost: Money | null;
  readonly cacheReadCost: Money | null;
  readonly reasoningCost: Money | null;
  readonly eventCount: number;
  readonly percentOfTotal: number;
}

/** `total` is what the share is of. */
export function figures(row: MeasureRow, total: Money): Figures {
  const totalCost = money(row.total_cost);
  return {
    totalCost,
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    cacheCreationInputTokens: reported(row.cache_creation_input_tokens, Number),
    cacheReadInputTokens: reported(row.cache_read_input_tokens, Number),
    reasoningTokens: reported(row.reasoning_tokens, Number),
    inputCost: money(row.input_cost),
    outputCost: money(row.output_cost),
    cacheCreationCost: reported(row.cache_creation_cost, money),
    cacheReadCost: reported(row.cache_read_cost, money),
    reasoningCost: reported(row.reasoning_cost, money),
    eventCount: Number(row.event_count),
    percentOfTotal: share(totalCost, total),
  };
}

/** Percentage of a total, 0 when the total is zero (decisions.md D27). */
export function share(part: Money, total: Money): number {
  return percent(part, total) ?? 0;
}

/** Sum of the rows' costs. */
export function totalOf(rows: readonly { readonly total_cost: string }[]): Money {
  return rows.reduce((total, row) => total.plus(row.total_cost), ZERO);
}

function reported<T>(text: string | null, open: (text: string) => T): T | null {
  return text === null ? null : open(text);
}
