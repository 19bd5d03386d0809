/** Warnings about a margin (contract.md, "Warning item"). */
import { plain } from '#kernel/money.ts';
import type { Instant } from '#kernel/time/instant.ts';
import type { UnallocatedDays } from '#schema/allocated-cost-lines.ts';
import type { MarginComparison } from './compare-margin.ts';
import type { UncountedAmount } from './uncounted-amounts.query.ts';
import { uncountedWarnings } from './uncounted-warnings.ts';

export interface MarginWarning {
  readonly count: number;
  readonly message: string;
  /** The first three are the contract's, whose list is open; the others are additions (decision 9, D46). */
  readonly type:
    | 'unattributed_revenue'
    | 'unattributed_cost'
    | 'revenue_not_connected'
    | 'revenue_in_other_currencies'
    | 'revenue_set_aside'
    | 'open_invoices'
    | 'partly_paid_invoices'
    | 'payments_without_customer'
    | 'revenue_paid_from_balance'
    | 'fees_unknown'
    | 'fixed_costs_incomplete'
    | 'window_ends_in_future';
}

/** Revenue known from the processor but missing from the figures. */
export interface MissingRevenue {
  readonly isConnected: boolean;
  /** Records of the window, by currency. */
  readonly otherCurrencies: readonly { readonly currency: string; readonly records: number }[];
  /** Objects that could not be read or booked, by kind and of any window. */
  readonly setAside: readonly { readonly kind: string; readonly count: number }[];
  /** Amounts of the window that are unpaid, counted elsewhere, or without a customer. */
  readonly uncounted: readonly UncountedAmount[];
  /** The current time if the window ends later and the figures stop there; otherwise null. */
  readonly comparedUntil: Instant | null;
}

/** In display order. `currency`: the margin's currency. */
export function marginWarnings(
  margin: MarginComparison,
  { isConnected, otherCurrencies, setAside, uncounted, comparedUntil }: MissingRevenue,
  currency = 'USD',
): MarginWarning[] {
  const { unattributedRevenueRecords: records, unattributedCostRecords: events } = margin;
  const warnings: MarginWarning[] = [];
  if (records > 0) {
    warnings.push({
      type: 'unattributed_revenue',
      count: records,
      message: `${records} revenue ${records === 1 ? 'record belongs' : 'records belong'} to no end user. Link the customers, or give them the metadata key of the connection; an end user exists once an event has named it.`,
    });
  }
  if (events > 0) {
    warnings.push({
      type: 'unattributed_cost',
      count: events,
      message: `${events} ${events === 1 ? 'event names' : 'events name'} no end user: ${plain(margin.unattributedCost)} ${currency} are in the total cost and in no line. Send user_id with every event.`,
    });
  }
  if (!isConnected) {
    warnings.push({
      type: 'revenue_not_connected',
      count: 1,
      message:
        'No payment-processor account is connected: revenue is what an earlier connection has synced, and 0 when there was none.',
    });
  }
  if (otherCurrencies.length > 0) {
    const count = otherCurrencies.reduce((sum, { records: ofCurrency }) => sum + ofCurrency, 0);
    warnings.push({
      type: 'revenue_in_other_currencies',
      count,
      message: `${count} revenue ${count === 1 ? 'record is' : 'records are'} not in USD and in no figure: ${otherCurrencies
        .map(({ currency, records: ofCurrency }) => `${ofCurrency} in ${currency.toUpperCase()}`)
        .join(', ')}.`,
    });
  }
  if (setAside.length > 0) {
    const count = setAside.reduce((sum, { count: ofKind }) => sum + ofKind, 0);
    warnings.push({
      type: 'revenue_set_aside',
      count,
      message: `${count} ${count === 1 ? 'object' : 'objects'} of the payment processor could not be booked and ${count === 1 ? 'is' : 'are'} in no figure (${setAside
        .map(({ kind, count: ofKind }) => `${kind.replace('_', ' ')}: ${ofKind}`)
        .join(', ')}). The connection lists the reasons.`,
    });
  }
  warnings.push(...uncountedWarnings(uncounted));
  if (comparedUntil !== null) {
    warnings.push({
      type: 'window_ends_in_future',
      count: 1,
      message: `The window ends in the future: revenue and costs are compared up to ${comparedUntil.iso}, and no figure includes revenue of later days.`,
    });
  }
  return warnings;
}

/** Warnings about a margin after fees. */
export function feeWarnings(count: number): MarginWarning[] {
  if (count === 0) return [];
  return [
    {
      type: 'fees_unknown',
      count,
      message: `${count === 1 ? 'The fee of 1 payment is' : `The fees of ${count} payments are`} unknown and not deducted. Give the key of the payment processor read access to balance transactions, and run a full sync.`,
    },
  ];
}

/** Warnings about a margin after fixed costs. */
export function fixedCostWarnings(unallocated: UnallocatedDays | null): MarginWarning[] {
  if (unallocated === null) return [];
  const { firstDay, days } = unallocated;
  return [
    {
      type: 'fixed_costs_incomplete',
      count: days,
      message: `All fixed costs are included up to the start of ${firstDay} (UTC). ${days} ${days === 1 ? 'day of this period is' : 'days of this period are'} not allocated yet, but revenue and model costs are included.`,
    },
  ];
}
