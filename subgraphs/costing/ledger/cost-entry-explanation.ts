/** The explanation of a ledger entry, with short keys because one is stored for each event. */
import type { ChargeLine } from '#schema/priced-feed.ts';
import type { TokenCounts } from '#schema/token-classes.ts';

export interface CostEntryExplanation {
  /** Token conventions used, input then output, with reasons; absent for an override. */
  readonly reading?: string;
  /** Class, quantity, rate, per, cost, reason and model. Quantity and rate are null in a correction. */
  readonly lines: readonly CostEntryLine[];
  /** The charges, if the lines do not contain them: differences by context, list prices, units, a stated cost. */
  readonly charges?: readonly ChargeLine[];
  /** The counts that a later report replaced, and the new ones. */
  readonly counts?: ReplacedCounts;
}

export interface ReplacedCounts {
  readonly before: TokenCounts;
  readonly after: TokenCounts;
}

export type CostEntryLine = readonly [
  item: string,
  quantity: string | null,
  rate: string | null,
  per: 1 | 1_000_000,
  cost: string,
  /** Reason for the rate if the pricing context decided it, or a description of the line. */
  why?: string,
  /** The model, if it differs from the event's. */
  model?: string,
];

/**
 * Serializes an explanation for storage as soon as it is created: thousands of objects would otherwise stay in memory
 * until the insert.
 */
export function printExplanation(explanation: CostEntryExplanation): string {
  return JSON.stringify(explanation);
}
