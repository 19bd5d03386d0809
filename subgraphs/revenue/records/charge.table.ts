/** Charges as last seen. A payment may have received more than it paid of its invoices. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { SyncedCharge } from '../stripe/read-charge.ts';

export const ChargeTable = defineEntity({
  name: 'Charge',
  tableName: 'charge',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** The processor's id. */
    id: p.text().primary(),
    paymentIntentId: p.text().nullable(),
    /** Amount received, in minor units. */
    capturedMinor: p.bigint(),
    /** Tax and shipping within that amount, from the Checkout session; null if none of it is revenue. */
    notRevenueMinor: p.bigint().nullable(),
    /** If the processor converted the payment: into which currency (lower case), at which rate, and when. */
    settledCurrency: p.text().nullable(),
    settledRate: p.decimal().precision(30).scale(20).nullable(),
    settledAt: p.datetime(3).nullable(),
    customerId: p.text().nullable(),
    /** Null if the charge was last read by an earlier version. */
    chargedAt: p.datetime(3).nullable(),
    /** The processor's fee in minor units of the account's currency (lower case); null if it is unknown. */
    feeMinor: p.bigint().nullable(),
    feeCurrency: p.text().nullable(),
  },
  indexes: [
    { name: 'charge_payment_intent_index', properties: ['organizationId', 'paymentIntentId'] },
    { name: 'charge_time_index', properties: ['organizationId', 'chargedAt'] },
  ],
});

export interface StoredCharge {
  readonly id: string;
  readonly paymentIntentId: string | null;
  readonly capturedMinor: bigint;
  readonly notRevenueMinor: bigint | null;
}

export interface NewCharge extends StoredCharge, Pick<SyncedCharge, 'settlement' | 'fee' | 'customerId' | 'created'> {}

const SAVE_CHARGES = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      ids: readonly string[];
      paymentIntentIds: readonly (string | null)[];
      capturedMinors: readonly string[];
      notRevenueMinors: readonly (string | null)[];
      settledCurrencies: readonly (string | null)[];
      settledRates: readonly (string | null)[];
      settledAts: readonly (number | null)[];
      customerIds: readonly (string | null)[];
      chargedAts: readonly number[];
      feeMinors: readonly (string | null)[];
      feeCurrencies: readonly (string | null)[];
    }>,
  ) => sql<object>`insert into charge as known (organization_id, id, payment_intent_id, captured_minor, not_revenue_minor, settled_currency, settled_rate, settled_at,
       customer_id, charged_at, fee_minor, fee_currency)
     select ${input.organizationId}, given.id, given.payment_intent_id, given.captured_minor, given.not_revenue_minor, given.settled_currency, given.settled_rate, to_timestamp(given.settled_at),
       given.customer_id, to_timestamp(given.charged_at), given.fee_minor, given.fee_currency
     from unnest(${input.ids}::text[], ${input.paymentIntentIds}::text[], ${input.capturedMinors}::bigint[], ${input.notRevenueMinors}::bigint[], ${input.settledCurrencies}::text[],
       ${input.settledRates}::numeric[], ${input.settledAts}::bigint[], ${input.customerIds}::text[], ${input.chargedAts}::bigint[], ${input.feeMinors}::bigint[], ${input.feeCurrencies}::text[])
       as given (id, payment_intent_id, captured_minor, not_revenue_minor, settled_currency, settled_rate, settled_at, customer_id, charged_at, fee_minor, fee_currency)
     on conflict (organization_id, id) do update set payment_intent_id = excluded.payment_intent_id, captured_minor = excluded.captured_minor,
       not_revenue_minor = excluded.not_revenue_minor, settled_currency = coalesce(excluded.settled_currency, known.settled_currency),
       settled_rate = coalesce(excluded.settled_rate, known.settled_rate), settled_at = coalesce(excluded.settled_at, known.settled_at),
       customer_id = excluded.customer_id, charged_at = excluded.charged_at, fee_minor = excluded.fee_minor, fee_currency = excluded.fee_currency`,
);

export async function saveCharges(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  charges: readonly NewCharge[],
): Promise<void> {
  const unique = [...new Map(charges.map((charge) => [charge.id, charge])).values()].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  if (unique.length === 0) return;
  await tx.run(SAVE_CHARGES, {
    organizationId,
    ids: unique.map(({ id }) => id),
    paymentIntentIds: unique.map(({ paymentIntentId }) => paymentIntentId),
    capturedMinors: unique.map(({ capturedMinor }) => String(capturedMinor)),
    notRevenueMinors: unique.map(({ notRevenueMinor }) => (notRevenueMinor === null ? null : String(notRevenueMinor))),
    settledCurrencies: unique.map(({ settlement }) => settlement?.currency ?? null),
    settledRates: unique.map(({ settlement }) => settlement?.rate ?? null),
    settledAts: unique.map(({ settlement }) => settlement?.at ?? null),
    customerIds: unique.map(({ customerId }) => customerId),
    chargedAts: unique.map(({ created }) => created),
    feeMinors: unique.map(({ fee }) => fee && String(fee.amountMinor)),
    feeCurrencies: unique.map(({ fee }) => fee?.currency ?? null),
  });
}

const FORGET_FEES = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<object>`update charge set fee_minor = 0 where organization_id = ${organizationId} and fee_minor is distinct from 0`,
);

/** Fees of an account whose records are withdrawn no longer count. */
export async function forgetFees(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(FORGET_FEES, { organizationId });
}

const CHARGES_OF = statement(
  ({ organizationId, ids }: Parameters<{ organizationId: OrganizationId; ids: readonly string[] }>) => sql<{
    id: string;
    paymentIntentId: string | null;
    capturedMinor: string;
    notRevenueMinor: string | null;
  }>`select id, payment_intent_id, captured_minor::text, not_revenue_minor::text from charge
     where organization_id = ${organizationId} and (id = any(${ids}) or payment_intent_id = any(${ids}))`,
);

/** Finds charges by their own id or their payment intent's. */
export async function chargesOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<StoredCharge[]> {
  const rows = await tx.all(CHARGES_OF, { organizationId, ids });
  return rows.map((row) => ({
    ...row,
    capturedMinor: BigInt(row.capturedMinor),
    notRevenueMinor: row.notRevenueMinor === null ? null : BigInt(row.notRevenueMinor),
  }));
}
