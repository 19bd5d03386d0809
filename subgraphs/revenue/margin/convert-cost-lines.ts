/** Costs of end users in a reporting currency. */
import { type Amount, amount, plain } from '#kernel/money.ts';
import { mapInSlices } from '#platform/slices.ts';
import type { DayCost, EndUserCostDays } from '#schema/end-user-cost-days.ts';
import type { EndUserCostLine, EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import { convertCosts, type ScaledRate } from '../currencies/convert-costs.ts';

export interface ConvertedLines {
  readonly lines: EndUserCostLines;
  /** The whole cost of the window, in USD. */
  readonly usd: Amount;
  /** The cost of days without an exchange rate, in USD. No converted figure includes it. */
  readonly waiting: Amount;
}

/**
 * `rateOf`: by day; null if the day has no rate. Every end user's cost is rounded once, and the total is the sum of the
 * end users' costs and the cost without one.
 */
export async function convertCostLines(
  { days, endUsers, unassigned }: EndUserCostDays,
  rateOf: (day: string) => ScaledRate | null,
): Promise<ConvertedLines> {
  const rates = days.map(rateOf);
  let [total, usd, waiting, count] = [0n, 0n, 0n, 0];
  const convert = (costs: readonly DayCost[], events: number): string => {
    const amounts = costs.map(([day, cost]): [number, Amount] => [day, amount(cost)]);
    const sum = convertCosts(amounts, rates);
    usd += amounts.reduce((all, [, cost]) => all + cost, 0n);
    waiting += sum.waiting;
    total += sum.converted;
    count += events;
    return plain(sum.converted);
  };
  const converted = await mapInSlices(endUsers, ([id, externalId, events, costs]): EndUserCostLine => [
    id,
    externalId,
    convert(costs, events),
    events,
  ]);
  const withoutEndUser = { cost: convert(unassigned.costs, unassigned.count), count: unassigned.count };
  return {
    lines: { endUsers: converted, unassigned: withoutEndUser, total: { cost: plain(total), count } },
    usd,
    waiting,
  };
}
