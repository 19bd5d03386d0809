/** A margin as returned: in pages, or as the whole list in the contract's format. */
import { enumValue } from '#kernel/enum-value.ts';
import { plain } from '#kernel/money.ts';
import type { PageInput } from '#kernel/page-cursor.ts';
import type {
  EndUserMargin as EndUserMarginAnswer,
  EndUserMarginConnection,
  MarginTotal,
  UnmatchedCustomerConnection,
} from '../resolvers.generated.ts';
import type { EndUserMargin, MarginComparison } from './compare-margin.ts';
import type { MarginWarning } from './margin-warnings.ts';
import type { MarginSelectionInput } from './margin-page.step.ts';

/** Source of the type `Margin`. Lists are built on demand. */
export interface MarginView {
  readonly comparison: MarginComparison;
  readonly endUserCount: number;
  endUsers(selection: MarginSelectionInput): Promise<EndUserMarginConnection>;
  unmatchedCustomers(page: PageInput): UnmatchedCustomerConnection;
  endUserList(): Promise<unknown[]>;
  readonly total: MarginTotal;
  readonly warnings: readonly MarginWarning[];
}

export function toMarginView(
  comparison: MarginComparison,
  warnings: readonly MarginWarning[],
  lists: Pick<MarginView, 'endUsers' | 'unmatchedCustomers' | 'endUserList'>,
): MarginView {
  return {
    comparison,
    endUserCount: comparison.endUsers.length,
    ...lists,
    total: toTotalView(comparison),
    warnings,
  };
}

export function toEndUserView({
  id,
  externalId,
  name,
  cost,
  revenue,
  margin,
  isMatched,
}: EndUserMargin): EndUserMarginAnswer {
  return {
    isMatched,
    endUserId: id,
    endUser: { externalId, name },
    endUserName: name,
    cost,
    revenue,
    marginAmount: margin.amount,
    marginPercent: margin.percent,
    profitability: enumValue(margin.category),
  };
}

/** An item of `end_users` (contract.md, "Margin"). */
export function toEndUserRow({
  id,
  name,
  cost,
  revenue,
  margin,
}: EndUserMargin): Record<string, string | number | null> {
  return {
    end_user_id: id,
    end_user_name: name,
    cost: plain(cost),
    revenue: plain(revenue),
    margin_amount: plain(margin.amount),
    margin_percent: margin.percent,
    profitability_category: margin.category,
  };
}

function toTotalView(margin: MarginComparison): MarginTotal {
  return {
    totalRevenue: margin.totalRevenue,
    totalCost: margin.totalCost,
    marginAmount: margin.margin.amount,
    marginPercent: margin.margin.percent,
    profitability: enumValue(margin.margin.category),
    revenueRecordCount: margin.revenueRecords,
    costRecordCount: margin.costRecords,
    unattributedRevenue: margin.unattributedRevenue,
    unattributedCost: margin.unattributedCost,
  };
}
