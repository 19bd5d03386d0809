/** Shares of fixed costs by end user, which costing passes to revenue. One JSON scalar, like `EndUserCostLines`. */

/** `Window.allocatedCostLines: JSON! @inaccessible`. Amounts are USD as plain decimals. */
export interface AllocatedCostLines {
  /**
   * Every end user with a share: external id as sent, amount, and the model cost that fixed costs replace.
   */
  readonly endUsers: readonly (readonly [externalId: string, amount: string, replacedCost: string])[];
  /** The share of events without an end user. */
  readonly unassigned: string;
  readonly idle: string;
  readonly unallocated: string;
  /** Model cost that fixed costs replace, including events without an end user. */
  readonly replacedCost: string;
  /** Days of the window, up to now, with missing fixed costs; null if none are missing. */
  readonly unallocatedDays: UnallocatedDays | null;
}

export interface UnallocatedDays {
  /** UTC day, `2026-10-01`. */
  readonly firstDay: string;
  readonly days: number;
}
