/** Compares a whole organization without blocking the event loop. */
import { mapInSlices } from '#platform/slices.ts';
import type { EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import {
  compareEndUser,
  earnedByEndUser,
  type MarginComparison,
  type RevenueOfCustomer,
  summarizeMargin,
} from './compare-margin.ts';

/**
 * Joins in slices: an organization may have hundreds of thousands of end users. `listed` contains the external
 * ids of end users that are listed even without cost and revenue in the window.
 */
export async function compareMargin(
  costs: EndUserCostLines,
  customers: readonly RevenueOfCustomer[],
  listed: ReadonlySet<string | null> = new Set(),
): Promise<MarginComparison> {
  const earned = earnedByEndUser(customers);
  const existing = new Set<string>();
  const compared = await mapInSlices(costs.endUsers, (line) => {
    existing.add(line[1]);
    return compareEndUser(line, earned.get(line[1]), listed.has(line[1]));
  });
  const endUsers = compared.filter((endUser) => endUser !== null);
  return summarizeMargin(costs, customers, { endUsers, existing });
}
