/** Parses invoices of the processor. */
import { z } from 'zod';
import { readInvoiceLine, type SyncedLine } from './read-invoice-line.ts';
import {
  currencyCode,
  customerOf,
  customerShape,
  epochSeconds,
  idOf,
  listOf,
  minorUnits,
  objectId,
  optionalIdOf,
  readObject,
  withoutNul,
} from './read-object.ts';
import { INVOICE_EARNS, INVOICE_PAYMENT_ARRIVED, meaningOf } from './status-words.ts';

export interface SyncedInvoice {
  readonly id: string;
  readonly customerId: string | null;
  readonly customerName: string | null;
  readonly customerDeleted: boolean;
  readonly status: string;
  readonly currency: string;
  /** True if an invoice with this status has revenue. */
  readonly earns: boolean;
  /** Charged amounts that are not revenue, in minor units: tax, shipping, and the customer's earlier debt. */
  readonly notRevenueMinor: bigint;
  /** Unpaid amount in minor units; null if not given. */
  readonly remainingMinor: bigint | null;
  /** Amount paid with money, in minor units. */
  readonly receivedMinor: bigint;
  /** Amount due in money, in minor units; null if not given. */
  readonly dueMinor: bigint | null;
  /** The processor's `amount_overpaid`, in minor units. */
  readonly overpaidMinor: bigint;
  /** Amount paid from the customer's balance, in minor units. */
  readonly balanceMinor: bigint;
  /** The part of `balanceMinor` that was added by hand (see `read-balance.ts`); null if unknown. */
  readonly givenCreditMinor: bigint | null;
  /** True if this is a charge without an invoice, stored as a one-line invoice. */
  readonly isCharge: boolean;
  /** True if `payments` is the processor's own list, so that stored payments missing from it are deleted. */
  readonly listsPayments: boolean;
  readonly payments: readonly SyncedPayment[];
  /** True if `payments` is incomplete. */
  readonly morePayments: boolean;
  readonly lines: readonly SyncedLine[];
  /** True if `lines` is incomplete. */
  readonly moreLines: boolean;
  /** Seconds since 1970, by the processor's clock. */
  readonly created: number | null;
  /** Seconds since 1970: the date on the invoice. */
  readonly issued: number | null;
}

export interface SyncedPayment {
  /** A payment intent, a charge or a payment record. */
  readonly paymentId: string;
  readonly amountPaid: bigint;
}

const payment = z.object({
  id: z.string().nullish(),
  amount_paid: minorUnits.nullish(),
  status: z.string().nullish(),
  payment: z.object({ payment_intent: optionalIdOf, charge: optionalIdOf, payment_record: optionalIdOf }),
});

const shape = z.object({
  id: objectId,
  ...customerShape,
  customer_name: z.string().nullish(),
  status: z.string().nullish(),
  currency: currencyCode,
  created: epochSeconds.nullish(),
  effective_at: epochSeconds.nullish(),
  status_transitions: z.object({ finalized_at: epochSeconds.nullish() }).nullish(),
  amount_paid: minorUnits.nullish(),
  amount_due: minorUnits.nullish(),
  amount_remaining: minorUnits.nullish(),
  amount_overpaid: minorUnits.nullish(),
  amount_shipping: minorUnits.nullish(),
  starting_balance: minorUnits.nullish(),
  ending_balance: minorUnits.nullish(),
  shipping_cost: z.object({ amount_subtotal: minorUnits.nullish() }).nullish(),
  total_taxes: z.array(z.object({ amount: minorUnits })).nullish(),
  total_tax_amounts: z.array(z.object({ amount: minorUnits })).nullish(),
  tax: minorUnits.nullish(),
  lines: listOf(z.unknown()),
  payments: listOf(payment).nullish(),
  payment_intent: optionalIdOf,
  charge: optionalIdOf,
});

/** Throws an `UnreadableObject`. */
export function readInvoice(raw: unknown): SyncedInvoice {
  const invoice = readObject(shape, raw, 'an invoice');
  const { starting_balance: before, ending_balance: after } = invoice;
  const change = before === null || before === undefined || after === null || after === undefined ? 0n : after - before;
  const dueMinor = invoice.amount_due ?? null;
  const receivedMinor = invoice.amount_paid ?? 0n;
  return {
    id: invoice.id,
    customerId: customerOf(invoice),
    customerName: invoice.customer_name ? withoutNul(invoice.customer_name) : null,
    customerDeleted: isDeleted((raw as { customer?: unknown }).customer),
    status: withoutNul(invoice.status ?? 'unknown'),
    currency: invoice.currency,
    earns: meaningOf(INVOICE_EARNS, { ...invoice, unsaid: false }),
    notRevenueMinor:
      taxOf(invoice) +
      (invoice.shipping_cost?.amount_subtotal ?? invoice.amount_shipping ?? 0n) +
      (change < 0n && (before ?? 0n) > 0n ? -change : 0n),
    remainingMinor: invoice.amount_remaining ?? (dueMinor === null ? null : dueMinor - receivedMinor),
    receivedMinor,
    dueMinor,
    overpaidMinor: invoice.amount_overpaid ?? 0n,
    balanceMinor: change > 0n && (before ?? 0n) < 0n ? change : 0n,
    givenCreditMinor: change > 0n ? null : 0n,
    isCharge: false,
    listsPayments: invoice.payments !== null && invoice.payments !== undefined,
    payments: [...(invoice.payments?.data ?? []).flatMap(paymentsOf), ...olderPayments(invoice)],
    morePayments: invoice.payments?.has_more ?? false,
    lines: invoice.lines.data.map((line, index) => readInvoiceLine(line, index, invoice.currency)),
    moreLines: invoice.lines.has_more,
    created: invoice.created ?? null,
    issued: invoice.effective_at ?? invoice.status_transitions?.finalized_at ?? invoice.created ?? null,
  };
}

function taxOf({ total_taxes, total_tax_amounts, tax }: z.infer<typeof shape>): bigint {
  const taxes = total_taxes ?? total_tax_amounts;
  return taxes ? taxes.reduce((sum, { amount }) => sum + amount, 0n) : (tax ?? 0n);
}

/** Parses an entry of `/v1/invoice_payments`; null if it is unpaid, or not of the given payment. */
export function readInvoicePayment(
  raw: unknown,
  paymentId: string | null = null,
): (SyncedPayment & { invoiceId: string }) | null {
  const read = readObject(payment.extend({ invoice: idOf }), raw, 'a payment of an invoice');
  const [only] = paymentsOf(read);
  return only && (paymentId === null || only.paymentId === paymentId) ? { ...only, invoiceId: read.invoice } : null;
}

function paymentsOf({ id, amount_paid, status, payment: how }: z.infer<typeof payment>): SyncedPayment[] {
  const paymentId = how.payment_intent ?? how.charge ?? how.payment_record;
  const arrived = meaningOf(INVOICE_PAYMENT_ARRIVED, { id: id ?? 'a payment of an invoice', status, unsaid: true });
  return paymentId === null || !arrived ? [] : [{ paymentId, amountPaid: amount_paid ?? 0n }];
}

/** In API versions before 2025-03-31 an invoice has one payment, named by the invoice itself. */
function olderPayments(invoice: {
  payment_intent: string | null;
  charge: string | null;
  amount_paid?: bigint | null | undefined;
}): SyncedPayment[] {
  return [invoice.payment_intent, invoice.charge].flatMap((paymentId) =>
    paymentId === null ? [] : [{ paymentId, amountPaid: invoice.amount_paid ?? 0n }],
  );
}

function isDeleted(customer: unknown): boolean {
  return typeof customer === 'object' && customer !== null && 'deleted' in customer && customer.deleted === true;
}
