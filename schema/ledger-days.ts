/** What the ledger's keeper tells of whole days to anyone who keeps facts of it, so that both can be compared. */

/** A UTC day of an organization: `YYYY-MM-DD`. */
export interface LedgerDay {
  readonly organizationId: string;
  readonly day: string;
}

/** Figures that both sides have. Counts are numbers, tokens and amounts decimal texts without trailing zeros. */
export interface DayFigures {
  /** Entries of the ledger: costs and corrections. They only ever grow in number. */
  readonly entries: number;
  /** Events that have a cost. */
  readonly eventCount: number;
  readonly inputTokens: string;
  readonly outputTokens: string;
  readonly totalCost: string;
  readonly inputCost: string;
  readonly outputCost: string;
  readonly cacheCreationCost: string;
  readonly cacheReadCost: string;
  readonly reasoningCost: string;
  /** Different end users that events name. */
  readonly endUsers: number;
}

export interface LedgerDaySums extends LedgerDay, DayFigures {
  /** What the hour counters say, which summaries are made of. */
  readonly countedEvents: number;
  readonly countedCost: string;
  /** Number of the last batch of the organization's feed: all that is summed is in it or in an earlier one. */
  readonly head: number;
}

export interface LedgerDaysPage {
  readonly days: readonly LedgerDay[];
  /** Null: there is nothing behind them. */
  readonly through: LedgerDay | null;
  readonly events: number;
}
