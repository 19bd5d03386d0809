/** Charges as last seen. A payment may have received more than it paid of its invoices. */
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';

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
  },
  indexes: [{ name: 'charge_payment_intent_index', properties: ['organizationId', 'paymentIntentId'] }],
});

export interface StoredCharge {
  readonly id: string;
  readonly paymentIntentId: string | null;
  readonly capturedMinor: bigint;
  readonly notRevenueMinor: bigint | null;
}

const SAVE_CHARGES = statement(
  (
    input: Parameters<{
      organizationId: string;
      ids: readonly string[];
      paymentIntentIds: readonly (string | null)[];
      capturedMinors: readonly string[];
      notRevenueMinors: readonly (string | null)[];
    }>,
  ) => sql<object>`insert into charge (organization_id, id, payment_intent_id, captured_minor, not_revenue_minor)
     select ${input.organizationId}, given.* from unnest(${input.ids}::text[], ${input.paymentIntentIds}::text[], ${input.capturedMinors}::bigint[], ${input.notRevenueMinors}::bigint[]) as given
     on conflict (organization_id, id) do update set payment_intent_id = excluded.payment_intent_id, captured_minor = excluded.captured_minor,
       not_revenue_minor = excluded.not_revenue_minor`,
);

export async function saveCharges(
  tx: WriteTransaction,
  organizationId: string,
  charges: readonly StoredCharge[],
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
  });
}

const CHARGES_OF = statement(
  ({ organizationId, ids }: Parameters<{ organizationId: string; ids: readonly string[] }>) => sql<{
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
  organizationId: string,
  ids: readonly string[],
): Promise<StoredCharge[]> {
  const rows = await tx.all(CHARGES_OF, { organizationId, ids });
  return rows.map((row) => ({
    ...row,
    capturedMinor: BigInt(row.capturedMinor),
    notRevenueMinor: row.notRevenueMinor === null ? null : BigInt(row.notRevenueMinor),
  }));
}
