/** Warnings about amounts the margin does not count, or counts for no customer. */
import { money, plain } from '#kernel/money.ts';
import type { MarginWarning } from './margin-warnings.ts';
import type { UncountedAmount, UncountedKind } from './uncounted-amounts.query.ts';

interface Said {
  readonly type: MarginWarning['type'];
  says(count: number, usd: string, customers: string): string;
}

/** In display order. */
const WARNINGS: Readonly<Record<UncountedKind, Said>> = {
  open: {
    type: 'open_invoices',
    says: (count, usd, customers) =>
      `${counted(count, 'open invoice')} (${usd} USD) in this period ${count === 1 ? 'is' : 'are'} not paid yet and not counted: ${customers}.`,
  },
  partly_paid: {
    type: 'partly_paid_invoices',
    says: (count, usd, customers) =>
      `${counted(count, 'open invoice')} in this period ${count === 1 ? 'is' : 'are'} partly paid: the ${usd} USD received will be counted once the rest is paid or written off (${customers}).`,
  },
  without_customer: {
    type: 'payments_without_customer',
    says: (count, usd) =>
      `${counted(count, 'payment')} (${usd} USD) in this period ${count === 1 ? 'has' : 'have'} neither an invoice nor a customer: included in the total revenue but not assigned to an end user.`,
  },
  given_credit: {
    type: 'revenue_paid_from_balance',
    says: (count, usd, customers) =>
      `${counted(count, 'invoice')} in this period ${count === 1 ? 'was' : 'were'} paid with ${usd} USD of customer balance that was added manually. It counts when the balance is bought, for example with a top-up invoice, and not again here: ${customers}.`,
  },
  unknown_credit: {
    type: 'revenue_paid_from_balance',
    says: (count, usd, customers) =>
      `${counted(count, 'invoice')} in this period ${count === 1 ? 'was' : 'were'} paid with ${usd} USD of customer balance whose transactions cannot be read: if it was bought with another invoice or payment, it is counted twice (${customers}).`,
  },
};

export function uncountedWarnings(amounts: readonly UncountedAmount[]): MarginWarning[] {
  return (Object.keys(WARNINGS) as UncountedKind[]).flatMap((kind) => {
    const found = amounts.find((amount) => amount.kind === kind);
    if (found === undefined) return [];
    const { type, says } = WARNINGS[kind];
    return [{ type, count: found.count, message: says(found.count, usdOf(found.amountMinor), customersOf(found)) }];
  });
}

function customersOf({ names, amounts, customers }: UncountedAmount): string {
  const named = names.map((name, index) => `${name} ${usdOf(amounts[index] ?? '0')} USD`);
  const others = customers - named.length;
  return [...named, ...(others > 0 ? [`${counted(others, 'other customer')}`] : [])].join(', ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function usdOf(minor: string): string {
  return plain(money(minor).div(100));
}
