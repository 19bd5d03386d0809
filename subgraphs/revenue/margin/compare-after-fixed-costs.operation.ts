/**
 * `Window.marginAfterFixedCosts`: the margin, less fixed costs, shortfalls of commitments, and adjustments. End users
 * carry parts of the fixed costs, but nothing of the other two. Model costs that fixed costs replace are not
 * subtracted.
 */
import { endUserId } from '#kernel/end-user-id.ts';
import { type Amount, amount } from '#kernel/money.ts';
import { type Connection, type PageInput, pageOf, parsePage, toConnection } from '#kernel/page-cursor.ts';
import type { Window } from '#kernel/time/window.ts';
import { mapInSlices, sortInSlices } from '#platform/slices.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { AllocatedCostLines } from '#schema/allocated-cost-lines.ts';
import type { EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import type { EndUserMarginAfterFixedCosts, MarginAfterFixedCosts } from '../resolvers.generated.ts';
import { compareWindow } from './compare-window.step.ts';
import { marginOf } from './margin.ts';
import { fixedCostWarnings } from './margin-warnings.ts';

const PAGE_MAX = 5_000;

interface Line {
  readonly id: string;
  readonly externalId: string;
  readonly name: string;
  readonly revenue: Amount;
  readonly modelCost: Amount;
  readonly replacedCost: Amount;
  readonly allocatedCost: Amount;
}

/** Source of the type `MarginAfterFixedCosts`. The page of end users is built on demand. */
export interface MarginAfterFixedCostsView extends Omit<MarginAfterFixedCosts, 'endUsers'> {
  endUsers(page: PageInput): Connection<EndUserMarginAfterFixedCosts>;
}

/** Fails like `Window.margin`. */
export async function compareAfterFixedCosts(
  context: SubgraphContext,
  window: Window,
  {
    costs,
    allocated,
    shortfallCost,
    adjustmentCost,
  }: {
    readonly costs: EndUserCostLines;
    readonly allocated: AllocatedCostLines;
    readonly shortfallCost: Amount;
    readonly adjustmentCost: Amount;
  },
): Promise<MarginAfterFixedCostsView> {
  const organizationId = organizationOf(context);
  const { margin: comparison } = await compareWindow(context, window, {
    costs,
    throughEnd: false,
    readMore: () => Promise.resolve(null),
  });
  const carried = new Map(
    allocated.endUsers.map(([externalId, carriedCost, replacedCost]) => [
      externalId,
      { allocatedCost: amount(carriedCost), replacedCost: amount(replacedCost) },
    ]),
  );
  const compared = await mapInSlices(comparison.endUsers, ({ id, externalId, name, revenue, cost }): Line => {
    const costs = carried.get(externalId) ?? { allocatedCost: 0n, replacedCost: 0n };
    carried.delete(externalId);
    return { id, externalId, name, revenue, modelCost: cost, ...costs };
  });
  // End users that carry fixed costs, for example a fixed share, but have neither revenue nor model costs in the
  // window.
  const others = await mapInSlices([...carried], ([externalId, fixedCosts]): Line => ({
    id: endUserId(organizationId, externalId),
    externalId,
    name: externalId,
    revenue: 0n,
    modelCost: 0n,
    ...fixedCosts,
  }));
  const lines = await sortInSlices([...compared, ...others], byMarginAfterFixedCosts);
  const [unassignedCost, idleCost, unallocatedCost, replacedCost] = [
    amount(allocated.unassigned),
    amount(allocated.idle),
    amount(allocated.unallocated),
    amount(allocated.replacedCost),
  ];
  const allocatedCost = lines.reduce((total, line) => total + line.allocatedCost, 0n);
  const { totalRevenue, totalCost } = comparison;
  const fixedCost = allocatedCost + unassignedCost + idleCost + unallocatedCost;
  const margin = marginOf(totalRevenue, totalCost - replacedCost + fixedCost + shortfallCost + adjustmentCost);
  return {
    totalRevenue,
    modelCost: totalCost,
    replacedCost,
    fixedCost,
    allocatedCost,
    unassignedCost,
    idleCost,
    unallocatedCost,
    shortfallCost,
    adjustmentCost,
    marginAmount: margin.amount,
    marginPercent: margin.percent,
    warnings: fixedCostWarnings(allocated.unallocatedDays),
    endUsers(input) {
      const page = parsePage(input, PAGE_MAX);
      return toConnection(pageOf(lines, page).map(toView), lines.length, page);
    },
  };
}

function toView(line: Line): EndUserMarginAfterFixedCosts {
  const { id, externalId, name, revenue, modelCost, replacedCost, allocatedCost } = line;
  const margin = marginOf(revenue, costAfterFixedCosts(line));
  return {
    endUserId: id,
    externalId,
    endUser: { externalId, name },
    endUserName: name,
    revenue,
    modelCost,
    replacedCost,
    allocatedCost,
    marginAmount: margin.amount,
    marginPercent: margin.percent,
  };
}

function costAfterFixedCosts({ modelCost, replacedCost, allocatedCost }: Line): Amount {
  return modelCost - replacedCost + allocatedCost;
}

/** Least profitable first, then by external id. */
function byMarginAfterFixedCosts(one: Line, other: Line): number {
  const [first, second] = [one, other].map((line) => line.revenue - costAfterFixedCosts(line));
  if (first !== second) return first! < second! ? -1 : 1;
  return one.externalId < other.externalId ? -1 : 1;
}
