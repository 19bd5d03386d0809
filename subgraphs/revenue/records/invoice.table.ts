/** Invoices at the processor as last seen: what is needed to allocate a refund over their lines. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import type { SyncedInvoice } from '../stripe/read-invoice.ts';

export const InvoiceTable = defineEntity({
  name: 'Invoice',
  tableName: 'invoice',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** The processor's id. */
    id: p.text().primary(),
    customerId: p.text().nullable(),
    status: p.text(),
    currency: p.text(),
    /** All tax of the invoice in minor units: the part of a refund that is no revenue. */
    taxMinor: p.bigint(),
    syncedAt: p.datetime(3),
  },
});

export type Invoice = InferEntity<typeof InvoiceTable>;

export async function saveInvoices(
  em: EntityManager,
  organizationId: string,
  invoices: readonly SyncedInvoice[],
  now: Date,
): Promise<void> {
  await query(
    em,
    `insert into invoice (organization_id, id, customer_id, status, currency, tax_minor, synced_at)
     select $1, given.*, $7 from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[]) as given
     on conflict (organization_id, id) do update set customer_id = excluded.customer_id, status = excluded.status,
       currency = excluded.currency, tax_minor = excluded.tax_minor, synced_at = excluded.synced_at`,
    [
      organizationId,
      invoices.map(({ id }) => id),
      invoices.map(({ customerId }) => customerId),
      invoices.map(({ status }) => status),
      invoices.map(({ currency }) => currency),
      invoices.map(({ taxMinor }) => String(taxMinor)),
      now,
    ],
  );
}

/** All tax of each invoice, in minor units. */
export async function taxOfInvoices(
  em: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, bigint>> {
  const rows = await query<{ id: string; tax: string }>(
    em,
    'select id, tax_minor::text as tax from invoice where organization_id = $1 and id = any($2)',
    [organizationId, ids],
  );
  return new Map(rows.map(({ id, tax }) => [id, BigInt(tax)]));
}

/** Lower case; an invoice that was never read is missing. */
export async function currencyOfInvoices(
  em: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await query<{ id: string; currency: string }>(
    em,
    'select id, currency from invoice where organization_id = $1 and id = any($2)',
    [organizationId, ids],
  );
  return new Map(rows.map(({ id, currency }) => [id, currency]));
}
