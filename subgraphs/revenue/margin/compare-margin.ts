/** Joins cost and revenue by end user and totals the organization (contract.md, "Margin"; decision 9, D42 to D44). */
import type { EndUserCostLine, EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import { type Amount, amount } from '#kernel/money.ts';
import { type MarginFigures, marginOf } from './margin.ts';

export interface RevenueOfCustomer {
  /** Null for invoices without a customer. */
  readonly customerId: string | null;
  readonly name: string | null;
  readonly externalId: string | null;
  readonly revenue: Amount;
  readonly records: number;
  /**
   * Unallocated sum of the records whose recognition starts in the window. Kept as text, because it is parsed only for
   * the few customers that need it.
   */
  readonly starting: string;
}

export interface EndUserMargin {
  readonly id: string;
  readonly externalId: string;
  readonly name: string;
  readonly cost: Amount;
  readonly revenue: Amount;
  readonly margin: MarginFigures;
  /** True if a customer is mapped to the end user. */
  readonly isMatched: boolean;
}

export interface MarginComparison {
  /** In any order. */
  readonly endUsers: readonly EndUserMargin[];
  readonly totalRevenue: Amount;
  readonly totalCost: Amount;
  readonly margin: MarginFigures;
  /** Customers without an existing end user. */
  readonly unmatched: readonly RevenueOfCustomer[];
  readonly revenueRecords: number;
  readonly costRecords: number;
  readonly unattributedRevenue: Amount;
  readonly unattributedRevenueRecords: number;
  readonly unattributedCost: Amount;
  readonly unattributedCostRecords: number;
}

export interface Earned {
  name: string | null;
  revenue: Amount;
  records: number;
}

/** Cost and revenue of an end user; null if the window has neither and the end user is not listed anyway. */
export function compareEndUser(
  [id, externalId, costText, count]: EndUserCostLine,
  earned: Earned | undefined,
  isListed: boolean,
): EndUserMargin | null {
  const { name, revenue, records } = earned ?? NOTHING;
  const cost = amount(costText);
  if (!isListed && count === 0 && records === 0 && cost === 0n && revenue === 0n) return null;
  return {
    id,
    externalId,
    name: name ?? externalId,
    cost,
    revenue,
    margin: marginOf(revenue, cost),
    isMatched: earned !== undefined,
  };
}

/**
 * `existing` contains the external ids of the cost lines: an end user exists once an event has named it, and only then is
 * revenue attributed to it.
 */
export function summarizeMargin(
  costs: Pick<EndUserCostLines, 'total' | 'unassigned'>,
  customers: readonly RevenueOfCustomer[],
  { endUsers, existing }: { readonly endUsers: readonly EndUserMargin[]; readonly existing: ReadonlySet<string> },
): MarginComparison {
  const unattributed = customers.filter(({ externalId }) => externalId === null || !existing.has(externalId));
  const totalRevenue = customers.reduce((total, { revenue }) => total + revenue, 0n);
  const totalCost = amount(costs.total.cost);
  return {
    endUsers,
    totalRevenue,
    totalCost,
    margin: marginOf(totalRevenue, totalCost),
    unmatched: unattributed,
    revenueRecords: customers.reduce((count, { records }) => count + records, 0),
    costRecords: costs.total.count,
    unattributedRevenue: unattributed.reduce((total, { starting }) => total + amount(starting), 0n),
    unattributedRevenueRecords: unattributed.reduce((count, { records }) => count + records, 0),
    unattributedCost: amount(costs.unassigned.cost),
    unattributedCostRecords: costs.unassigned.count,
  };
}

const NOTHING: Earned = { name: null, revenue: 0n, records: 0 };

/** Sums the revenue of all customers of an end user. Its name is the first one by customer id. */
export function earnedByEndUser(customers: readonly RevenueOfCustomer[]): Map<string, Earned> {
  const earned = new Map<string, Earned>();
  for (const { externalId, name, revenue, records } of customers) {
    if (externalId === null) continue;
    const known = earned.get(externalId);
    if (known === undefined) earned.set(externalId, { name, revenue, records });
    else
      Object.assign(known, {
        name: known.name ?? name,
        revenue: known.revenue + revenue,
        records: known.records + records,
      });
  }
  return earned;
}

/** Least profitable first, then by external id. */
export function byMargin(a: EndUserMargin, b: EndUserMargin): number {
  if (a.margin.amount !== b.margin.amount) return a.margin.amount < b.margin.amount ? -1 : 1;
  return a.externalId < b.externalId ? -1 : 1;
}
