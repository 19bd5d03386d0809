/** How a ledger entry came about, in short keys: it is stored once for each event. */
import type { TokenCounts } from '../../../schema/token-classes.ts';

export interface CostEntryExplanation {
  /** How tokens were read, input then output, and why; absent for an override. */
  readonly reading?: string;
  /** Class, quantity, rate, per, cost, why and whose; quantity and rate are null in a correction. */
  readonly lines: readonly CostEntryLine[];
  /** The counts that a later report replaced, and its own. */
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
  /** Why this rate, where the pricing context decides it, or what the line is of. */
  why?: string,
  /** The model, where it is not the event's own. */
  model?: string,
];

/** As an entry stores it. Printed where it is made: as objects, those of two thousand events would wait for the insert. */
export function printExplanation(explanation: CostEntryExplanation): string {
  return JSON.stringify(explanation);
}
