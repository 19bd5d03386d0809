/** Credit notes, refunds and disputes as last seen. They may arrive before their invoice. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { SyncedReduction } from '../stripe/read-reduction.ts';

export const ReductionTable = defineEntity({
  name: 'Reduction',
  tableName: 'reduction',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** The processor's id. */
    id: p.text().primary(),
    kind: p.enum(['credit_note', 'refund', 'dispute']),
    /** True if it takes revenue back: a credit note is issued, a refund succeeded, a dispute lost. */
    counts: p.boolean(),
    /** The invoice of a credit note; null for a refund or dispute. */
    invoiceId: p.text().nullable(),
    /** Payment intent and charge of a refund or dispute. */
    paymentIds: p.array(),
    currency: p.text(),
    /** Minor units, including tax for refunds and disputes, excluding it for credit notes. */
    amountMinor: p.bigint(),
    /** Part of a credit note returned neither by a refund nor as a balance; minor units, including tax. */
    outOfBandMinor: p.bigint().default(0),
    /** `CreditNoteLine[]` of a credit note. */
    lines: p.json<unknown>(),
    /** `LinkedRefund[]` of a credit note. */
    linkedRefunds: p.json<unknown>(),
    /** Total of a credit note in minor units, including tax and shipping. */
    grossMinor: p.bigint().nullable(),
    /** If the processor converted a refund or dispute: into which currency (lower case), at which rate, and when. */
    settledCurrency: p.text().nullable(),
    settledRate: p.decimal().precision(30).scale(20).nullable(),
    settledAt: p.datetime(3).nullable(),
    syncedAt: p.datetime(3),
  },
  indexes: [
    { name: 'reduction_invoice_index', properties: ['organizationId', 'invoiceId'] },
    { name: 'reduction_payment_index', properties: ['paymentIds'], type: 'gin' },
    {
      name: 'reduction_settled_index',
      properties: ['organizationId', 'settledCurrency', 'settledAt'],
      where: 'settled_at is not null',
    },
    {
      name: 'reduction_linked_index',
      properties: ['organizationId'],
      where: "kind = 'credit_note' and linked_refunds <> '[]'",
    },
  ],
});

const KNOWN_REDUCTIONS = statement(
  ({ organizationId, ids }: Parameters<{ organizationId: OrganizationId; ids: readonly string[] }>) =>
    sql<{ id: string }>`select id from reduction where organization_id = ${organizationId} and id = any(${ids})`,
);

/** Returns the ids that are stored. */
export async function knownReductions(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await tx.all(KNOWN_REDUCTIONS, { organizationId, ids });
  return rows.map(({ id }) => id);
}

const SAVE_REDUCTIONS = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; json: string; now: Date }>,
  ) => sql<object>`insert into reduction as known (organization_id, id, kind, counts, invoice_id, payment_ids, currency, amount_minor, out_of_band_minor, lines, linked_refunds, gross_minor,
       settled_currency, settled_rate, settled_at, synced_at)
     select ${input.organizationId}, given->>'id', given->>'kind', (given->>'counts')::boolean, given->>'invoiceId',
            array(select jsonb_array_elements_text(given->'paymentIds')), given->>'currency', (given->>'amountMinor')::bigint,
            (given->>'outOfBandMinor')::bigint, given->'lines', given->'linkedRefunds', (given->>'grossMinor')::bigint,
            given->'settlement'->>'currency', (given->'settlement'->>'rate')::numeric, to_timestamp((given->'settlement'->>'at')::bigint), ${input.now}
     from jsonb_array_elements(${input.json}::jsonb) as given
     on conflict (organization_id, id) do update set counts = excluded.counts, invoice_id = coalesce(excluded.invoice_id, known.invoice_id),
       payment_ids = excluded.payment_ids, currency = excluded.currency, amount_minor = excluded.amount_minor, out_of_band_minor = excluded.out_of_band_minor, lines = excluded.lines,
       linked_refunds = excluded.linked_refunds, gross_minor = coalesce(excluded.gross_minor, known.gross_minor), settled_currency = coalesce(excluded.settled_currency, known.settled_currency),
       settled_rate = coalesce(excluded.settled_rate, known.settled_rate), settled_at = coalesce(excluded.settled_at, known.settled_at), synced_at = excluded.synced_at`,
);

/** Upserts reductions. */
export async function saveReductions(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  reductions: readonly SyncedReduction[],
  now: Date,
): Promise<void> {
  const unique = [...new Map(reductions.map((reduction) => [reduction.id, reduction])).values()].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  await tx.run(SAVE_REDUCTIONS, {
    organizationId,
    json: JSON.stringify(unique, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    now,
  });
}

const REDUCTIONS_OF = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; invoiceIds: readonly string[]; paymentIds: readonly string[] }>,
  ) => sql<ReductionRow>`select id, kind, counts, invoice_id, payment_ids, currency, amount_minor::text, out_of_band_minor::text, lines, linked_refunds from reduction
     where organization_id = ${input.organizationId} and (invoice_id = any(${input.invoiceIds}) or payment_ids && ${input.paymentIds}::text[]) order by id`,
);

/** Reductions of these invoices or payments. */
export async function reductionsOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  invoiceIds: readonly string[],
  paymentIds: readonly string[],
): Promise<StoredReduction[]> {
  const rows = await tx.all(REDUCTIONS_OF, { organizationId, invoiceIds, paymentIds });
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    counts: row.counts,
    invoiceId: row.invoiceId,
    paymentIds: row.paymentIds,
    currency: row.currency,
    amountMinor: BigInt(row.amountMinor),
    outOfBandMinor: BigInt(row.outOfBandMinor),
    lines: row.lines,
    linkedRefunds: row.linkedRefunds,
  }));
}

export type StoredReduction = Pick<
  SyncedReduction,
  | 'id'
  | 'kind'
  | 'counts'
  | 'invoiceId'
  | 'paymentIds'
  | 'currency'
  | 'amountMinor'
  | 'outOfBandMinor'
  | 'lines'
  | 'linkedRefunds'
>;

interface ReductionRow {
  id: string;
  kind: SyncedReduction['kind'];
  counts: boolean;
  invoiceId: string | null;
  paymentIds: string[];
  currency: string;
  amountMinor: string;
  outOfBandMinor: string;
  lines: SyncedReduction['lines'];
  linkedRefunds: SyncedReduction['linkedRefunds'];
}
