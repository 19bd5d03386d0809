/** Warnings about amounts the margin does not count, or counts for no customer. */
import { plain } from '#kernel/money.ts';
import { fromMinorUnits } from '../stripe/minor-units.ts';
import type { MarginWarning } from './margin-warnings.ts';
import type { UncountedAmount, UncountedKind } from './uncounted-amounts.query.ts';

interface Said {
  readonly type: MarginWarning['type'];
  says(count: number, amount: string, customers: string): string;
}

/** Warnings about amounts that are not part of a margin, in display order. */
const WARNINGS: Readonly<Record<UncountedKind, Said>> = {
  open: {
    type: 'open_invoices',
    says: (count, amount, customers) =>
      `${counted(count, 'open invoice')} (${amount}) in this period ${count === 1 ? 'is' : 'are'} not paid yet and not counted: ${customers}.`,
  },
  partly_paid: {
    type: 'partly_paid_invoices',
    says: (count, amount, customers) =>
      `${counted(count, 'open invoice')} in this period ${count === 1 ? 'is' : 'are'} partly paid: the ${amount} received will be counted once the rest is paid or written off (${customers}).`,
  },
  without_customer: {
    type: 'payments_without_customer',
    says: (count, amount) =>
      `${counted(count, 'payment')} (${amount}) in this period ${count === 1 ? 'has' : 'have'} neither an invoice nor a customer: included in the total revenue but not assigned to an end user.`,
  },
  given_credit: {
    type: 'revenue_paid_from_balance',
    says: (count, amount, customers) =>
      `${counted(count, 'invoice')} in this period ${count === 1 ? 'was' : 'were'} paid with ${amount} of customer balance that was added manually. It counts when the balance is bought, for example with a top-up invoice, and not again here: ${customers}.`,
  },
  unknown_credit: {
    type: 'revenue_paid_from_balance',
    says: (count, amount, customers) =>
      `${counted(count, 'invoice')} in this period ${count === 1 ? 'was' : 'were'} paid with ${amount} of customer balance whose transactions cannot be read: if it was bought with another invoice or payment, it is counted twice (${customers}).`,
  },
};

export function uncountedWarnings(amounts: readonly UncountedAmount[]): MarginWarning[] {
  return (Object.keys(WARNINGS) as UncountedKind[]).flatMap((kind) => {
    const { type, says } = WARNINGS[kind];
    return amounts
      .filter((amount) => amount.kind === kind)
      .map((found) => ({
        type,
        count: found.count,
        message: says(found.count, amountText(found.amountMinor, found.currency), customersOf(found)),
      }));
  });
}

function customersOf({ names, amounts, customers, currency }: UncountedAmount): string {
  const named = names.map((name, index) => `${name} ${amountText(amounts[index] ?? '0', currency)}`);
  const others = customers - named.length;
  return [...named, ...(others > 0 ? [`${counted(others, 'other customer')}`] : [])].join(', ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function amountText(minor: string, currency: string): string {
  return `${plain(fromMinorUnits(BigInt(minor), currency))} ${currency.toUpperCase()}`;
}
