/** Fixed costs by who carries them, which costing passes to revenue. One JSON scalar, like `EndUserCostLines`. */

/** `Window.allocatedCostLines: JSON! @inaccessible`. Amounts are USD as plain decimals. */
export interface AllocatedCostLines {
  /** Every end user that carries something: external id as sent, and amount. */
  readonly endUsers: readonly (readonly [externalId: string, amount: string])[];
  /** Carried by events without an end user. */
  readonly unassigned: string;
  readonly idle: string;
  readonly unallocated: string;
  /** Days of the window, up to now, with missing fixed costs; null if none are missing. */
  readonly unallocatedDays: UnallocatedDays | null;
}

export interface UnallocatedDays {
  /** UTC day, `2026-10-01`. */
  readonly firstDay: string;
  readonly days: number;
}
