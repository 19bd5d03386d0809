/** A margin in a reporting currency, as returned: every amount names its currency. */
import { enumValue } from '#kernel/enum-value.ts';
import { type Amount, plain, plainText } from '#kernel/money.ts';
import { type PageInput, pageOf, parsePage, toConnection } from '#kernel/page-cursor.ts';
import type {
  ConversionRate,
  Money,
  ReportedEndUser,
  ReportedEndUserConnection,
  WaitingAmount,
} from '../resolvers.generated.ts';
import type { EndUserMargin, MarginComparison } from './compare-margin.ts';
import type { ConvertedFees } from './convert-fees.ts';
import type { WaitingRevenue } from './converted-sums.query.ts';
import type { MarginWarning } from './margin-warnings.ts';

const PAGE_MAX = 5_000;

interface Compared {
  readonly currency: string;
  /** End users are sorted by `byMargin`. */
  readonly comparison: MarginComparison;
  readonly costInUsd: Amount;
  readonly latestRate: ConversionRate | null;
  readonly fees: ConvertedFees;
  /** Exchange differences of refunds, by end user. The comparison lists the end users. */
  readonly differences: readonly { readonly externalId: string | null; readonly amount: Amount }[];
  readonly waitingRevenue: readonly WaitingRevenue[];
  readonly waitingCost: Amount;
  readonly isConverting: boolean;
  readonly warnings: readonly MarginWarning[];
}

/** Source of the type `ReportingMargin`; pages of end users are built on demand. */
export type ReportingMarginView = ReturnType<typeof toReportingMargin>;

export function toReportingMargin(compared: Compared) {
  const { currency, comparison, costInUsd, latestRate, fees, differences, warnings, ...waits } = compared;
  const { margin, endUsers } = comparison;
  const inCurrency = (value: Amount): Money => ({ amount: plain(value), currency });
  const waiting = waitingAmounts({ ...waits, fees });
  const differenceByEndUser = new Map(differences.map((one) => [one.externalId, one.amount]));
  const totalDifference = differences.reduce((total, one) => total + one.amount, 0n);
  const feesOf = ({ externalId }: EndUserMargin) => fees.byEndUser.get(externalId) ?? 0n;
  const differenceOf = ({ externalId }: EndUserMargin) => differenceByEndUser.get(externalId) ?? 0n;
  const withoutEndUser = (total: Amount, ofEndUser: (endUser: EndUserMargin) => Amount) =>
    inCurrency(endUsers.reduce((rest, endUser) => rest - ofEndUser(endUser), total));
  return {
    currency,
    totalRevenue: inCurrency(comparison.totalRevenue),
    totalCost: inCurrency(comparison.totalCost),
    margin: inCurrency(margin.amount),
    marginPercent: margin.percent,
    profitability: enumValue(margin.category),
    fees: inCurrency(fees.total),
    unattributedFees: withoutEndUser(fees.total, feesOf),
    marginAfterFees: inCurrency(margin.amount - fees.total),
    exchangeDifferences: inCurrency(totalDifference),
    unattributedExchangeDifferences: withoutEndUser(totalDifference, differenceOf),
    unattributedRevenue: inCurrency(comparison.unattributedRevenue),
    unattributedCost: inCurrency(comparison.unattributedCost),
    costInUsd,
    latestRate,
    waiting,
    isComplete: waiting.length === 0,
    endUserCount: endUsers.length,
    endUsers: (input: PageInput): ReportedEndUserConnection => {
      const page = parsePage(input, PAGE_MAX);
      return toConnection(
        pageOf(endUsers, page).map((endUser) => ({
          ...toReportedEndUser(endUser, feesOf(endUser), inCurrency),
          exchangeDifferences: inCurrency(differenceOf(endUser)),
        })),
        endUsers.length,
        page,
      );
    },
    warnings,
  };
}

function waitingAmounts({
  waitingRevenue,
  waitingCost,
  fees,
  isConverting,
}: Pick<Compared, 'waitingRevenue' | 'waitingCost' | 'fees' | 'isConverting'>): WaitingAmount[] {
  const reason = isConverting
    ? 'Being converted'
    : 'No exchange rate was imported for the day of the invoice or the seven days before it';
  return [
    ...waitingRevenue.map(({ currency, amount }): WaitingAmount => ({
      kind: 'REVENUE',
      amount: { amount: plainText(amount), currency: currency.toUpperCase() },
      reason,
    })),
    ...(waitingCost === 0n
      ? []
      : [
          {
            kind: 'COST' as const,
            amount: { amount: plain(waitingCost), currency: 'USD' },
            reason: 'No exchange rate was imported for these days or the seven days before them',
          },
        ]),
    ...[...fees.waiting].map(([currency, fee]): WaitingAmount => ({
      kind: 'FEE',
      amount: { amount: plain(fee), currency: currency.toUpperCase() },
      reason: 'No exchange rate was imported for the day of the payment or the seven days before it',
    })),
  ];
}

function toReportedEndUser(
  { id, externalId, name, cost, revenue, margin, isMatched }: EndUserMargin,
  fees: Amount,
  inCurrency: (value: Amount) => Money,
): Omit<ReportedEndUser, 'exchangeDifferences'> {
  return {
    endUserId: id,
    externalId,
    endUser: { externalId, name },
    endUserName: name,
    isMatched,
    revenue: inCurrency(revenue),
    cost: inCurrency(cost),
    margin: inCurrency(margin.amount),
    marginPercent: margin.percent,
    profitability: enumValue(margin.category),
    fees: inCurrency(fees),
    marginAfterFees: inCurrency(margin.amount - fees),
  };
}
