/** Daily sums of costing's ledger, for comparison with attribution's facts. */

import type { OrganizationId } from '#kernel/ids.ts';

/** A UTC day of an organization: `YYYY-MM-DD`. */
export interface LedgerDay {
  readonly organizationId: OrganizationId;
  readonly day: string;
}

/** Figures that both sides have. Counts are numbers; tokens and amounts are decimal texts without trailing zeros. */
export interface DayFigures {
  /** Ledger entries: costs and corrections. Entries are only ever added. */
  readonly entries: number;
  /** Events with a cost. */
  readonly eventCount: number;
  readonly inputTokens: string;
  readonly outputTokens: string;
  readonly totalCost: string;
  readonly inputCost: string;
  readonly outputCost: string;
  readonly cacheCreationCost: string;
  readonly cacheReadCost: string;
  readonly reasoningCost: string;
  /** Number of different end users. */
  readonly endUsers: number;
}

export interface LedgerDaySums extends LedgerDay, DayFigures {
  /** Sums of the hour counters that summaries use. */
  readonly countedEvents: number;
  readonly countedCost: string;
  /** Number of the organization's last feed batch; everything summed is in it or in an earlier one. */
  readonly head: number;
}

export interface LedgerDaysPage {
  readonly days: readonly LedgerDay[];
  /** Cursor for the next page; null on the last page. */
  readonly through: LedgerDay | null;
  readonly events: number;
}
