/** Payments of invoices: a refund or dispute refers only to a payment. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';

export const InvoicePaymentTable = defineEntity({
  name: 'InvoicePayment',
  tableName: 'invoice_payment',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    invoiceId: p.text().primary(),
    /** Id of a payment intent, charge or payment record. */
    paymentId: p.text().primary(),
    /** Minor units. */
    amountPaid: p.bigint(),
  },
  indexes: [{ name: 'invoice_payment_payment_index', properties: ['organizationId', 'paymentId'] }],
});

export interface PaymentOfInvoice {
  readonly invoiceId: string;
  readonly paymentId: string;
  readonly amountPaid: bigint;
}

const SAVE_INVOICE_PAYMENTS = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      invoiceIds: readonly string[];
      paymentIds: readonly string[];
      amountPaids: readonly string[];
    }>,
  ) => sql<object>`insert into invoice_payment (organization_id, invoice_id, payment_id, amount_paid)
     select ${input.organizationId}, given.* from unnest(${input.invoiceIds}::text[], ${input.paymentIds}::text[], ${input.amountPaids}::bigint[]) as given
     on conflict (organization_id, invoice_id, payment_id) do update set amount_paid = excluded.amount_paid`,
);

export async function saveInvoicePayments(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  payments: readonly PaymentOfInvoice[],
): Promise<void> {
  const unique = [
    ...new Map(payments.map((payment) => [`${payment.invoiceId} ${payment.paymentId}`, payment])).values(),
  ].sort((a, b) =>
    a.invoiceId === b.invoiceId ? (a.paymentId < b.paymentId ? -1 : 1) : a.invoiceId < b.invoiceId ? -1 : 1,
  );
  if (unique.length === 0) return;
  await tx.run(SAVE_INVOICE_PAYMENTS, {
    organizationId,
    invoiceIds: unique.map(({ invoiceId }) => invoiceId),
    paymentIds: unique.map(({ paymentId }) => paymentId),
    amountPaids: unique.map(({ amountPaid }) => String(amountPaid)),
  });
}

const INVOICES_OF_PAYMENTS = statement(
  ({
    organizationId,
    paymentIds,
  }: Parameters<{ organizationId: OrganizationId; paymentIds: readonly string[] }>) => sql<{
    invoiceId: string;
    paymentId: string;
    amountPaid: string;
  }>`select invoice_id, payment_id, amount_paid::text from invoice_payment where organization_id = ${organizationId} and payment_id = any(${paymentIds})
     order by invoice_id, payment_id`,
);

/** Invoices paid by any of these payments. */
export async function invoicesOfPayments(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  paymentIds: readonly string[],
): Promise<PaymentOfInvoice[]> {
  const rows = await tx.all(INVOICES_OF_PAYMENTS, { organizationId, paymentIds });
  return rows.map(toPayment);
}

const PAYMENTS_OF_INVOICES = statement(
  ({ organizationId, invoiceIds }: Parameters<{ organizationId: OrganizationId; invoiceIds: readonly string[] }>) =>
    sql<{
      invoiceId: string;
      paymentId: string;
      amountPaid: string;
    }>`select invoice_id, payment_id, amount_paid::text from invoice_payment where organization_id = ${organizationId} and invoice_id = any(${invoiceIds})`,
);

/** All payments of these invoices. */
export async function paymentsOfInvoices(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  invoiceIds: readonly string[],
): Promise<PaymentOfInvoice[]> {
  const rows = await tx.all(PAYMENTS_OF_INVOICES, { organizationId, invoiceIds });
  return rows.map(toPayment);
}

function toPayment(row: { invoiceId: string; paymentId: string; amountPaid: string }): PaymentOfInvoice {
  return { invoiceId: row.invoiceId, paymentId: row.paymentId, amountPaid: BigInt(row.amountPaid) };
}

const FORGET_OTHER_PAYMENTS = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      invoiceIds: readonly string[];
      keptInvoiceIds: readonly string[];
      keptPaymentIds: readonly string[];
    }>,
  ) => sql<object>`delete from invoice_payment where organization_id = ${input.organizationId} and invoice_id = any(${input.invoiceIds})
     and (invoice_id, payment_id) not in (select * from unnest(${input.keptInvoiceIds}::text[], ${input.keptPaymentIds}::text[]))`,
);

/** Deletes payments of these invoices that are not in `kept`. */
export async function forgetOtherPayments(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  invoiceIds: readonly string[],
  kept: readonly PaymentOfInvoice[] = [],
): Promise<void> {
  if (invoiceIds.length === 0) return;
  await tx.run(FORGET_OTHER_PAYMENTS, {
    organizationId,
    invoiceIds,
    keptInvoiceIds: kept.map(({ invoiceId }) => invoiceId),
    keptPaymentIds: kept.map(({ paymentId }) => paymentId),
  });
}
