/**
 * Costs per end user that attribution passes to revenue for comparison. They are one JSON scalar, so that twenty
 * thousand rows are not validated field by field.
 */

import type { EndUserId } from '#kernel/ids.ts';

/** `Window.endUserCostLines: JSON! @inaccessible` */
export interface EndUserCostLines {
  /** Every end user of the organization, with or without cost in the window (then `'0'` and 0), in any order. */
  readonly endUsers: readonly EndUserCostLine[];
  /** Completed events of the window without an end user. */
  readonly unassigned: CostSum;
  /** All completed events of the window: the sum over `endUsers`, and `unassigned`. */
  readonly total: CostSum;
}

/** Id (UUIDv5), external id as sent, cost in USD as a plain decimal (decision 9, D24), number of completed events. */
export type EndUserCostLine = readonly [endUserId: EndUserId, externalId: string, cost: string, count: number];

interface CostSum {
  /** USD as a plain decimal. */
  readonly cost: string;
  /** Completed events. */
  readonly count: number;
}
