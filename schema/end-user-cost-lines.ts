/**
 * What attribution hands to revenue so that cost and revenue can be compared. It travels as a JSON scalar, because twenty thousand
 * rows are not checked field by field twice.
 */

/** `Window.endUserCostLines: JSON! @inaccessible` */
export interface EndUserCostLines {
  /** EVERY end user of the organization that exists, whether it has cost in the window or not (then `'0'` and 0). Any order. */
  readonly endUsers: readonly EndUserCostLine[];
  /** Completed events of the window without an end user. */
  readonly unassigned: CostSum;
  /** All completed events of the window: the sum over `endUsers`, and `unassigned`. */
  readonly total: CostSum;
}

/** Id (UUIDv5), external id as sent, cost in USD as a plain decimal (decision 9, D24), number of completed events. */
export type EndUserCostLine = readonly [endUserId: string, externalId: string, cost: string, count: number];

interface CostSum {
  /** USD as a plain decimal. */
  readonly cost: string;
  /** Completed events. */
  readonly count: number;
}
