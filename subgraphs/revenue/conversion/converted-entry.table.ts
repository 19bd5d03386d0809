/**
 * Entries of records in a reporting currency. The entries of a line add up to the line's amount times the rate of its
 * invoice, rounded once.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const ConvertedEntryTable = defineEntity({
  name: 'ConvertedEntry',
  tableName: 'converted_entry',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** The entry of `revenue_record`. */
    lineId: p.text().primary(),
    sequence: p.integer().primary(),
    /** ISO 4217, upper case. */
    currency: p.text().primary(),
    amount: p.decimal().precision(30).scale(15),
  },
});

/**
 * SQL for the converted amount of every entry of an organization (`:organizationId`, and further conditions on
 * `revenue_record`) in each currency of its invoice's rates. Each entry is the difference of two rounded sums, so that
 * no digit is lost.
 */
export function convertedEntriesSql(organization: string, condition: string): string {
  return `select entry.line_id, entry.sequence, invoice_rate.to_currency as currency,
      round(total * rate, 15) - round((total - amount) * rate, 15) as amount
    from (
      select line_id, sequence, invoice_id, currency, amount,
        sum(amount) over (partition by line_id, invoice_id, currency order by sequence) as total
      from revenue_record where organization_id = ${organization} and ${condition}) as entry
    join invoice_rate on invoice_rate.organization_id = ${organization} and invoice_rate.invoice_id = entry.invoice_id
      and invoice_rate.from_currency = upper(entry.currency)`;
}

const PENDING_INVOICES = statement(
  (input: Parameters<{ organizationId: OrganizationId; after: string; limit: number }>) => sql<{ invoiceId: string }>`
    select distinct invoice_id from revenue_record as record
    cross join (select distinct currency from organization_currency where organization_id = ${input.organizationId}) as target
    where record.organization_id = ${input.organizationId} and record.currency <> lower(target.currency) and invoice_id > ${input.after}
      and not exists (
        select from converted_entry where converted_entry.organization_id = ${input.organizationId} and converted_entry.line_id = record.line_id
          and converted_entry.sequence = record.sequence and converted_entry.currency = target.currency)
    order by invoice_id limit ${input.limit}`,
);

/** Invoices with entries that are not converted into every reporting currency, in order of their ids. */
export async function pendingInvoices(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  after: string,
  limit: number,
): Promise<string[]> {
  return (await tx.all(PENDING_INVOICES, { organizationId, after, limit })).map(({ invoiceId }) => invoiceId);
}

const CONVERT_ENTRIES = statement<
  object,
  { readonly organizationId: OrganizationId; readonly invoiceIds: readonly string[] }
>(`
  insert into converted_entry (organization_id, line_id, sequence, currency, amount)
  select :organizationId, converted.* from (${convertedEntriesSql(':organizationId', 'invoice_id = any(:invoiceIds)')}) as converted
  on conflict (organization_id, line_id, sequence, currency) do nothing`);

/** Converts the entries of invoices that have a rate. */
export async function convertEntries(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  invoiceIds: readonly string[],
): Promise<void> {
  await tx.run(CONVERT_ENTRIES, { organizationId, invoiceIds });
}
