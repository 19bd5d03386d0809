/** Which payment paid which invoice: a refund or a dispute names a payment only. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';

export const InvoicePaymentTable = defineEntity({
  name: 'InvoicePayment',
  tableName: 'invoice_payment',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    invoiceId: p.text().primary(),
    /** A payment intent, a charge, or a payment record. */
    paymentId: p.text().primary(),
    /** Minor units. */
    amountPaid: p.bigint(),
  },
  indexes: [{ name: 'invoice_payment_payment_index', properties: ['organizationId', 'paymentId'] }],
});

export type InvoicePayment = InferEntity<typeof InvoicePaymentTable>;

export interface PaymentOfInvoice {
  readonly invoiceId: string;
  readonly paymentId: string;
  readonly amountPaid: bigint;
}

export async function saveInvoicePayments(
  em: EntityManager,
  organizationId: string,
  payments: readonly PaymentOfInvoice[],
): Promise<void> {
  const unique = [
    ...new Map(payments.map((payment) => [`${payment.invoiceId} ${payment.paymentId}`, payment])).values(),
  ].sort((a, b) =>
    a.invoiceId === b.invoiceId ? (a.paymentId < b.paymentId ? -1 : 1) : a.invoiceId < b.invoiceId ? -1 : 1,
  );
  if (unique.length === 0) return;
  await query(
    em,
    `insert into invoice_payment (organization_id, invoice_id, payment_id, amount_paid)
     select $1, given.* from unnest($2::text[], $3::text[], $4::bigint[]) as given
     on conflict (organization_id, invoice_id, payment_id) do update set amount_paid = excluded.amount_paid`,
    [
      organizationId,
      unique.map(({ invoiceId }) => invoiceId),
      unique.map(({ paymentId }) => paymentId),
      unique.map(({ amountPaid }) => String(amountPaid)),
    ],
  );
}

/** Every invoice that any of these payments paid. */
export async function invoicesOfPayments(
  em: EntityManager,
  organizationId: string,
  paymentIds: readonly string[],
): Promise<PaymentOfInvoice[]> {
  const rows = await query<{ invoiceId: string; paymentId: string; amountPaid: string }>(
    em,
    `select invoice_id, payment_id, amount_paid::text from invoice_payment where organization_id = $1 and payment_id = any($2)
     order by invoice_id, payment_id`,
    [organizationId, paymentIds],
  );
  return rows.map(toPayment);
}

/** Every payment of these invoices. */
export async function paymentsOfInvoices(
  em: EntityManager,
  organizationId: string,
  invoiceIds: readonly string[],
): Promise<PaymentOfInvoice[]> {
  const rows = await query<{ invoiceId: string; paymentId: string; amountPaid: string }>(
    em,
    'select invoice_id, payment_id, amount_paid::text from invoice_payment where organization_id = $1 and invoice_id = any($2)',
    [organizationId, invoiceIds],
  );
  return rows.map(toPayment);
}

function toPayment(row: { invoiceId: string; paymentId: string; amountPaid: string }): PaymentOfInvoice {
  return { invoiceId: row.invoiceId, paymentId: row.paymentId, amountPaid: BigInt(row.amountPaid) };
}
