/**
 * The exchange rate of an invoice, fixed when it is first converted. Its refunds, credit notes and disputes use the same
 * one, so that everything that is taken back cancels exactly.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { FX_SOURCES, type FxSource } from '../currencies/fx-rate.table.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const InvoiceRateTable = defineEntity({
  name: 'InvoiceRate',
  tableName: 'invoice_rate',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    invoiceId: p.text().primary(),
    /** ISO 4217, upper case, as is `toCurrency`. */
    fromCurrency: p.text().primary(),
    toCurrency: p.text().primary(),
    /** Units of `toCurrency` for one of `fromCurrency`, with 12 significant digits. */
    rate: p.decimal().precision(30).scale(20),
    rateDay: p.date(),
    /** `settlement`: the processor's rate when it paid out. `ecb`, `own`: the rate of the invoice's day. */
    source: p.enum(['settlement', ...FX_SOURCES]),
    fixedAt: p.datetime(3),
  },
  checks: [{ name: 'invoice_rate_positive', expression: 'rate > 0' }],
});

export interface MissingRate {
  invoiceId: string;
  fromCurrency: string;
  toCurrency: string;
  /** Day of the invoice, `YYYY-MM-DD`. */
  day: string;
  /** The processor's rate; null if it did not settle every payment in `toCurrency`. */
  settledRate: string | null;
  settledDay: string | null;
}

/**
 * A settled rate counts if every payment of the invoice was settled in the target currency: their average, weighted by
 * the amounts received.
 */
const MISSING_RATES = statement(
  (input: Parameters<{ organizationId: OrganizationId; invoiceIds: readonly string[] }>) => sql<MissingRate>`
    with booked as (
      select invoice_id, upper(currency) as from_currency, min(period_start) as first_start
      from revenue_record where organization_id = ${input.organizationId} and invoice_id = any(${input.invoiceIds})
      group by invoice_id, currency),
    target as (select distinct currency from organization_currency where organization_id = ${input.organizationId})
    select booked.invoice_id, booked.from_currency, target.currency as to_currency,
      (coalesce(invoice.issued_at, booked.first_start) at time zone 'UTC')::date::text as day,
      settled.rate::text as settled_rate, settled.day as settled_day
    from booked cross join target
    left join invoice on invoice.organization_id = ${input.organizationId} and invoice.id = booked.invoice_id
    left join lateral (
      select case when count(*) = count(settled_rate) then sum(captured_minor * settled_rate) / nullif(sum(captured_minor), 0) end as rate,
        (max(settled_at) at time zone 'UTC')::date::text as day
      from (
        select distinct charge.id, charge.captured_minor, case when charge.settled_currency = lower(target.currency) then charge.settled_rate end as settled_rate, charge.settled_at
        from invoice_payment join charge on charge.organization_id = ${input.organizationId}
          and (charge.id = invoice_payment.payment_id or charge.payment_intent_id = invoice_payment.payment_id)
        where invoice_payment.organization_id = ${input.organizationId} and invoice_payment.invoice_id = booked.invoice_id and charge.captured_minor > 0) as payment) as settled on true
    where booked.from_currency <> target.currency and not exists (
      select from invoice_rate where invoice_rate.organization_id = ${input.organizationId} and invoice_rate.invoice_id = booked.invoice_id
        and invoice_rate.from_currency = booked.from_currency and invoice_rate.to_currency = target.currency)`,
);

/** Invoices whose rates are not fixed yet, once for each reporting currency. */
export function missingRates(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  invoiceIds: readonly string[],
): Promise<MissingRate[]> {
  return tx.all(MISSING_RATES, { organizationId, invoiceIds });
}

export interface FixedRate {
  readonly invoiceId: string;
  readonly fromCurrency: string;
  readonly toCurrency: string;
  readonly rate: string;
  readonly rateDay: string;
  readonly source: 'settlement' | FxSource;
}

const FIX_RATES = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      invoiceIds: readonly string[];
      fromCurrencies: readonly string[];
      toCurrencies: readonly string[];
      rates: readonly string[];
      rateDays: readonly string[];
      sources: readonly string[];
      now: Date;
    }>,
  ) => sql<object>`
    insert into invoice_rate (organization_id, invoice_id, from_currency, to_currency, rate, rate_day, source, fixed_at)
    select ${input.organizationId}, given.*, ${input.now}::timestamptz
    from unnest(${input.invoiceIds}::text[], ${input.fromCurrencies}::text[], ${input.toCurrencies}::text[], ${input.rates}::numeric[],
      ${input.rateDays}::date[], ${input.sources}::text[]) as given
    on conflict (organization_id, invoice_id, from_currency, to_currency) do nothing`,
);

/** Stores the rates of invoices; a rate that is already fixed stays. */
export async function fixRates(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  rates: readonly FixedRate[],
  now: Date,
): Promise<void> {
  if (rates.length === 0) return;
  await tx.run(FIX_RATES, {
    organizationId,
    invoiceIds: rates.map(({ invoiceId }) => invoiceId),
    fromCurrencies: rates.map(({ fromCurrency }) => fromCurrency),
    toCurrencies: rates.map(({ toCurrency }) => toCurrency),
    rates: rates.map(({ rate }) => rate),
    rateDays: rates.map(({ rateDay }) => rateDay),
    sources: rates.map(({ source }) => source),
    now,
  });
}

export interface ListedInvoiceRate {
  invoiceId: string;
  fromCurrency: string;
  toCurrency: string;
  rate: string;
  rateDay: string;
  source: 'settlement' | FxSource;
  /** Sums of the invoice's live records, credit notes and refunds included. */
  amount: string;
  converted: string;
}

interface RateList {
  readonly organizationId: OrganizationId;
  /** Null for all invoices. */
  readonly invoiceId: string | null;
  readonly afterInvoice: string;
  readonly afterTo: string;
  readonly afterFrom: string;
  readonly limit: number;
}

const LIST_INVOICE_RATES = statement(
  (input: Parameters<RateList>) => sql<ListedInvoiceRate>`
    with page as (
      select invoice_id, to_currency, from_currency, rate, rate_day, source from invoice_rate
      where organization_id = ${input.organizationId} and (${input.invoiceId}::text is null or invoice_id = ${input.invoiceId})
        and (invoice_id, to_currency, from_currency) > (${input.afterInvoice}::text, ${input.afterTo}::text, ${input.afterFrom}::text)
      order by invoice_id, to_currency, from_currency limit ${input.limit})
    select page.invoice_id, from_currency, to_currency, trim_scale(rate)::text as rate, rate_day::text, source,
      coalesce(sum(record.amount), 0)::text as amount, coalesce(sum(converted.amount), 0)::text as converted
    from page
    left join revenue_record as record on record.organization_id = ${input.organizationId} and record.invoice_id = page.invoice_id and upper(record.currency) = page.from_currency
    left join converted_entry as converted on converted.organization_id = ${input.organizationId} and converted.line_id = record.line_id
      and converted.sequence = record.sequence and converted.currency = page.to_currency
    group by page.invoice_id, from_currency, to_currency, rate, rate_day, source
    order by page.invoice_id, to_currency, from_currency`,
);

/** Rates of invoices, ordered by invoice id. */
export function listInvoiceRates(tx: Transaction, list: RateList): Promise<ListedInvoiceRate[]> {
  return tx.all(LIST_INVOICE_RATES, list);
}
