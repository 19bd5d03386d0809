/** Compares a whole organization without blocking the event loop. */
import { mapInSlices, sortInSlices } from '#platform/slices.ts';
import type { EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import {
  byMargin,
  compareEndUser,
  earnedByEndUser,
  type MarginComparison,
  type RevenueOfCustomer,
  summarizeMargin,
} from './compare-margin.ts';

/** Joins and sorts in slices: an organization may have hundreds of thousands of end users. */
export async function compareMargin(
  costs: EndUserCostLines,
  customers: readonly RevenueOfCustomer[],
): Promise<MarginComparison> {
  const earned = earnedByEndUser(customers);
  const existing = new Set<string>();
  const compared = await mapInSlices(costs.endUsers, (line) => {
    existing.add(line[1]);
    return compareEndUser(line, earned.get(line[1]));
  });
  const endUsers = await sortInSlices(
    compared.filter((endUser) => endUser !== null),
    byMargin,
  );
  return summarizeMargin(costs, customers, { endUsers, existing });
}
