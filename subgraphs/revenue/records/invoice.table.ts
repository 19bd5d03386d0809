/** Invoices at the processor as last seen: what is needed to allocate a refund over their lines. */
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { type Parameters, run, statement } from '../../../platform/database/statement.ts';
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

const SAVE_INVOICES = statement(
  (
    input: Parameters<{
      organizationId: string;
      ids: readonly string[];
      customerIds: readonly (string | null)[];
      status: readonly string[];
      currencys: readonly string[];
      taxMinors: readonly string[];
      now: Date;
    }>,
  ) => sql<object>`insert into invoice (organization_id, id, customer_id, status, currency, tax_minor, synced_at)
     select ${input.organizationId}, given.*, ${input.now} from unnest(${input.ids}::text[], ${input.customerIds}::text[], ${input.status}::text[], ${input.currencys}::text[], ${input.taxMinors}::bigint[]) as given
     on conflict (organization_id, id) do update set customer_id = excluded.customer_id, status = excluded.status,
       currency = excluded.currency, tax_minor = excluded.tax_minor, synced_at = excluded.synced_at`,
);

export async function saveInvoices(
  em: EntityManager,
  organizationId: string,
  invoices: readonly SyncedInvoice[],
  now: Date,
): Promise<void> {
  await run(em, SAVE_INVOICES, {
    organizationId,
    ids: invoices.map(({ id }) => id),
    customerIds: invoices.map(({ customerId }) => customerId),
    status: invoices.map(({ status }) => status),
    currencys: invoices.map(({ currency }) => currency),
    taxMinors: invoices.map(({ taxMinor }) => String(taxMinor)),
    now,
  });
}

const TAX_OF_INVOICES = statement(
  ({ organizationId, ids }: Parameters<{ organizationId: string; ids: readonly string[] }>) =>
    sql<{
      id: string;
      tax: string;
    }>`select id, tax_minor::text as tax from invoice where organization_id = ${organizationId} and id = any(${ids})`,
);

/** All tax of each invoice, in minor units. */
export async function taxOfInvoices(
  em: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, bigint>> {
  const rows = await run(em, TAX_OF_INVOICES, { organizationId, ids });
  return new Map(rows.map(({ id, tax }) => [id, BigInt(tax)]));
}

const CURRENCY_OF_INVOICES = statement(
  ({ organizationId, ids }: Parameters<{ organizationId: string; ids: readonly string[] }>) =>
    sql<{
      id: string;
      currency: string;
    }>`select id, currency from invoice where organization_id = ${organizationId} and id = any(${ids})`,
);

/** Lower case; an invoice that was never read is missing. */
export async function currencyOfInvoices(
  em: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await run(em, CURRENCY_OF_INVOICES, { organizationId, ids });
  return new Map(rows.map(({ id, currency }) => [id, currency]));
}
