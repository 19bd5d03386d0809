/** Fixed costs by who carries them, which costing passes to revenue. One JSON scalar, like `EndUserCostLines`. */

/** `Window.allocatedCostLines: JSON! @inaccessible`. Amounts are USD as plain decimals. */
export interface AllocatedCostLines {
  /** Every end user that carries something: external id as sent, and amount. */
  readonly endUsers: readonly (readonly [externalId: string, amount: string])[];
  /** Carried by events without an end user. */
  readonly unassigned: string;
  readonly idle: string;
  readonly unallocated: string;
}
