/**
 * Costs per end user and UTC day that attribution passes to revenue for margins in another currency, whose rate changes
 * every day.
 */

import type { EndUserId } from '#kernel/ids.ts';

/** `Window.endUserCostDays: JSON! @inaccessible` */
export interface EndUserCostDays {
  /** Days with costs, `YYYY-MM-DD`, in order. Costs refer to them by index. */
  readonly days: readonly string[];
  /** Every end user of the organization, with or without cost in the window, in any order. */
  readonly endUsers: readonly EndUserCostDayLine[];
  /** Completed events of the window without an end user. */
  readonly unassigned: { readonly count: number; readonly costs: readonly DayCost[] };
}

/** Id (UUIDv5), external id as sent, number of completed events, and costs by day. */
type EndUserCostDayLine = readonly [endUserId: EndUserId, externalId: string, count: number, costs: readonly DayCost[]];

/** Index of the day, and USD as a plain decimal. */
export type DayCost = readonly [day: number, cost: string];
