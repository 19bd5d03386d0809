/** What is kept of an invoice at the processor. */
import { z } from 'zod';
import { readInvoiceLine, type SyncedLine } from './read-invoice-line.ts';
import {
  currencyCode,
  epochSeconds,
  idOf,
  listOf,
  minorUnits,
  objectId,
  optionalIdOf,
  readObject,
  withoutNul,
} from './read-object.ts';

export interface SyncedInvoice {
  readonly id: string;
  readonly customerId: string | null;
  readonly customerName: string | null;
  readonly customerDeleted: boolean;
  readonly status: string;
  readonly currency: string;
  /** All tax, inclusive or not, in minor units. */
  readonly taxMinor: bigint;
  readonly payments: readonly SyncedPayment[];
  /** Whether `payments` is only the beginning. */
  readonly morePayments: boolean;
  readonly lines: readonly SyncedLine[];
  /** Whether `lines` is only the beginning. */
  readonly moreLines: boolean;
  /** Seconds since 1970, by the processor's clock. */
  readonly created: number | null;
}

export interface SyncedPayment {
  /** A payment intent, a charge or a payment record. */
  readonly paymentId: string;
  readonly amountPaid: bigint;
}

const payment = z.object({
  amount_paid: minorUnits.nullish(),
  status: z.string().nullish(),
  payment: z.object({ payment_intent: optionalIdOf, charge: optionalIdOf, payment_record: optionalIdOf }),
});

const shape = z.object({
  id: objectId,
  customer: z.union([idOf, z.null()]).optional(),
  customer_name: z.string().nullish(),
  status: z.string().nullish(),
  currency: currencyCode,
  created: epochSeconds.nullish(),
  amount_paid: minorUnits.nullish(),
  total_taxes: z.array(z.object({ amount: minorUnits })).nullish(),
  total_tax_amounts: z.array(z.object({ amount: minorUnits })).nullish(),
  tax: minorUnits.nullish(),
  lines: listOf(z.unknown()),
  payments: listOf(payment).nullish(),
  payment_intent: optionalIdOf,
  charge: optionalIdOf,
});

export function readInvoice(raw: unknown): SyncedInvoice {
  const invoice = readObject(shape, raw, 'an invoice');
  const taxes = invoice.total_taxes ?? invoice.total_tax_amounts;
  return {
    id: invoice.id,
    customerId: invoice.customer ?? null,
    customerName: invoice.customer_name ? withoutNul(invoice.customer_name) : null,
    customerDeleted: isDeleted((raw as { customer?: unknown }).customer),
    status: withoutNul(invoice.status ?? 'unknown'),
    currency: invoice.currency,
    taxMinor: taxes ? taxes.reduce((sum, { amount }) => sum + amount, 0n) : (invoice.tax ?? 0n),
    payments: [...(invoice.payments?.data ?? []).flatMap(paymentsOf), ...olderPayments(invoice)],
    morePayments: invoice.payments?.has_more ?? false,
    lines: invoice.lines.data.map((line, index) => readInvoiceLine(line, index, invoice.currency)),
    moreLines: invoice.lines.has_more,
    created: invoice.created ?? null,
  };
}

/** Only a paid invoice has records. */
export function isPaid({ status }: Pick<SyncedInvoice, 'status'>): boolean {
  return status === 'paid';
}

/** An entry of `/v1/invoice_payments` for one invoice. */
export function readInvoicePayment(raw: unknown): (SyncedPayment & { invoiceId: string }) | null {
  const read = readObject(payment.extend({ invoice: idOf }), raw, 'a payment of an invoice');
  const [only] = paymentsOf(read);
  return only ? { ...only, invoiceId: read.invoice } : null;
}

function paymentsOf({
  amount_paid,
  status,
  payment: { payment_intent, charge, payment_record },
}: z.infer<typeof payment>): SyncedPayment[] {
  const paymentId = payment_intent ?? charge ?? payment_record;
  return paymentId === null || status === 'canceled' || status === 'open'
    ? []
    : [{ paymentId, amountPaid: amount_paid ?? 0n }];
}

/** Before invoices could be paid in parts (API versions before 2025-03-31) they named their payment themselves. */
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
