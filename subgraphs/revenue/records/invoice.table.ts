/** Invoices as last seen: the fields for allocating refunds and for warnings about uncounted amounts. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';

/** SQL predicate, which an index uses too: invoices that may cause a margin warning. */
export const MAY_BE_UNCOUNTED = "status = 'open' or balance_minor > 0 or is_charge and customer_id is null";

export const InvoiceTable = defineEntity({
  name: 'Invoice',
  tableName: 'invoice',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** The processor's id. */
    id: p.text().primary(),
    customerId: p.text().nullable(),
    /** The invoice's status. A charge without an invoice is `paid` while it is revenue, otherwise `void`. */
    status: p.text(),
    currency: p.text(),
    /** True if the row is a charge without an invoice, stored under the charge's id. */
    isCharge: p.boolean().default(false),
    /** Tax, shipping and earlier debts in minor units. This part of a refund takes back no revenue. */
    notRevenueMinor: p.bigint(),
    /** Overpayment in minor units. Refunding it takes back no revenue. */
    overpaidMinor: p.bigint().default(0),
    /** Unpaid and paid amounts, in minor units. */
    remainingMinor: p.bigint().default(0),
    receivedMinor: p.bigint().default(0),
    /**
     * Amount paid from the customer's balance, in minor units, and the part that the seller added by hand; null if
     * unknown.
     */
    balanceMinor: p.bigint().default(0),
    givenCreditMinor: p.bigint().nullable(),
    /**
     * From the first start to the last end of its lines, or the creation time. Used for warnings about uncounted
     * amounts.
     */
    periodStart: p.datetime(3).nullable(),
    periodEnd: p.datetime(3).nullable(),
    /** The date on the invoice, or the time of the charge: the day of its exchange rate. */
    issuedAt: p.datetime(3).nullable(),
    syncedAt: p.datetime(3),
  },
  indexes: [
    { name: 'invoice_uncounted_index', properties: ['organizationId', 'periodStart'], where: MAY_BE_UNCOUNTED },
  ],
});

/** Stored fields of an invoice. */
export interface KeptInvoice {
  readonly id: string;
  readonly customerId: string | null;
  readonly status: string;
  readonly currency: string;
  readonly isCharge: boolean;
  readonly notRevenueMinor: bigint;
  readonly overpaidMinor: bigint;
  readonly remainingMinor: bigint;
  readonly receivedMinor: bigint;
  readonly balanceMinor: bigint;
  readonly givenCreditMinor: bigint | null;
  /** Seconds since 1970. */
  readonly periodStart: number | null;
  readonly periodEnd: number | null;
  readonly issued: number | null;
}

const SAVE_INVOICES = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; json: string; now: Date }>,
  ) => sql<object>`insert into invoice (organization_id, id, customer_id, status, currency, is_charge, not_revenue_minor, overpaid_minor, remaining_minor,
       received_minor, balance_minor, given_credit_minor, period_start, period_end, issued_at, synced_at)
     select ${input.organizationId}, given.id, given."customerId", given.status, given.currency, given."isCharge", given."notRevenueMinor", given."overpaidMinor",
       given."remainingMinor", given."receivedMinor", given."balanceMinor", given."givenCreditMinor", to_timestamp(given."periodStart"),
       to_timestamp(given."periodEnd"), to_timestamp(given.issued), ${input.now}
     from jsonb_to_recordset(${input.json}::jsonb) as given (id text, "customerId" text, status text, currency text, "isCharge" boolean, "notRevenueMinor" bigint,
       "overpaidMinor" bigint, "remainingMinor" bigint, "receivedMinor" bigint, "balanceMinor" bigint, "givenCreditMinor" bigint, "periodStart" bigint,
       "periodEnd" bigint, issued bigint)
     on conflict (organization_id, id) do update set customer_id = excluded.customer_id, status = excluded.status, currency = excluded.currency,
       is_charge = excluded.is_charge, not_revenue_minor = excluded.not_revenue_minor, overpaid_minor = excluded.overpaid_minor,
       remaining_minor = excluded.remaining_minor, received_minor = excluded.received_minor, balance_minor = excluded.balance_minor,
       given_credit_minor = excluded.given_credit_minor, period_start = excluded.period_start, period_end = excluded.period_end,
       issued_at = excluded.issued_at, synced_at = excluded.synced_at`,
);

export async function saveInvoices(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  invoices: readonly KeptInvoice[],
  now: Date,
): Promise<void> {
  const json = JSON.stringify(invoices, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  await tx.run(SAVE_INVOICES, { organizationId, json, now });
}

const VOID_INVOICES = statement(
  ({ organizationId, ids }: Parameters<{ organizationId: OrganizationId; ids: readonly string[] }>) =>
    sql<object>`update invoice set status = 'void' where organization_id = ${organizationId} and id = any(${ids}) and is_charge`,
);

/** Voids the rows of charges that turned out to have paid an invoice. */
export async function voidInvoicesOfCharges(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<void> {
  await tx.run(VOID_INVOICES, { organizationId, ids });
}

const FORGET_INVOICES = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<object>`delete from invoice where organization_id = ${organizationId}`,
);

/** Deletes the invoices of an account whose records are withdrawn, so that no margin warns about them. */
export async function forgetInvoices(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(FORGET_INVOICES, { organizationId });
}

const UNEARNED_PARTS = statement(
  ({ organizationId, ids }: Parameters<{ organizationId: OrganizationId; ids: readonly string[] }>) =>
    sql<{
      id: string;
      notRevenue: string;
      overpaid: string;
    }>`select id, not_revenue_minor::text as not_revenue, overpaid_minor::text as overpaid from invoice where organization_id = ${organizationId} and id = any(${ids})`,
);

/** Amounts of each invoice that are not revenue, in minor units. */
export async function unearnedParts(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<Map<string, { notRevenueMinor: bigint; overpaidMinor: bigint }>> {
  const rows = await tx.all(UNEARNED_PARTS, { organizationId, ids });
  return new Map(
    rows.map(({ id, notRevenue, overpaid }) => [
      id,
      { notRevenueMinor: BigInt(notRevenue), overpaidMinor: BigInt(overpaid) },
    ]),
  );
}

const CURRENCY_OF_INVOICES = statement(
  ({ organizationId, ids }: Parameters<{ organizationId: OrganizationId; ids: readonly string[] }>) =>
    sql<{
      id: string;
      currency: string;
    }>`select id, currency from invoice where organization_id = ${organizationId} and id = any(${ids})`,
);

/** Currencies in lower case. Unread invoices are missing. */
export async function currencyOfInvoices(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.all(CURRENCY_OF_INVOICES, { organizationId, ids });
  return new Map(rows.map(({ id, currency }) => [id, currency]));
}
