/** Amounts that the organization agreed to spend with providers. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { amount, plain } from '#kernel/money.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Commitment, COMMITMENT_PERIODS } from './commitment.ts';

export const CommitmentTable = defineEntity({
  name: 'Commitment',
  tableName: 'commitment',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    providerSlug: p.text(),
    models: p.array().nullable(),
    amount: p.decimal().precision(30).scale(15),
    periodLength: p.enum(COMMITMENT_PERIODS),
    fromDay: p.date(),
    untilDay: p.date().nullable(),
    revision: p.integer(),
    /** The revision that the entries were computed with. */
    computedRevision: p.integer(),
    isRemoved: p.boolean(),
    changedAt: p.datetime(3),
  },
});

type CommitmentRow = Omit<Commitment, 'amount' | 'changedAt'> & { readonly amount: string; readonly changedAt: string };

const LIST = statement<CommitmentRow, { readonly organizationId: OrganizationId }>(`
  select id, name, provider_slug, models, amount::text, period_length, from_day::text, until_day::text, revision, is_removed,
    ${isoMillis('changed_at')} as changed_at
  from commitment where organization_id = :organizationId order by provider_slug, from_day, id`);

/** Lists commitments, including removed ones, by provider and first day. */
export async function listCommitmentRows(tx: Transaction, organizationId: OrganizationId): Promise<Commitment[]> {
  const rows = await tx.all(LIST, { organizationId });
  return rows.map((row) => ({ ...row, amount: amount(row.amount), changedAt: new Date(row.changedAt) }));
}

const SAVE = statement<
  object,
  Omit<Commitment, 'amount'> & { readonly organizationId: OrganizationId; readonly amount: string }
>(`
  insert into commitment (organization_id, id, name, provider_slug, models, amount, period_length, from_day, until_day, revision,
    computed_revision, is_removed, changed_at)
  values (:organizationId, :id, :name, :providerSlug, :models::text[], :amount, :periodLength, :fromDay, :untilDay, :revision,
    0, :isRemoved, :changedAt)
  on conflict (organization_id, id) do update set name = excluded.name, provider_slug = excluded.provider_slug, models = excluded.models,
    amount = excluded.amount, period_length = excluded.period_length, from_day = excluded.from_day, until_day = excluded.until_day,
    revision = excluded.revision, is_removed = excluded.is_removed, changed_at = excluded.changed_at`);

export async function saveCommitmentRow(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  commitment: Commitment,
): Promise<void> {
  await tx.run(SAVE, { ...commitment, organizationId, amount: plain(commitment.amount) });
}

const MARK_COMPUTED = statement<object, { readonly organizationId: OrganizationId }>(
  'update commitment set computed_revision = revision where organization_id = :organizationId and computed_revision <> revision',
);

/** Call it under the lock of the organization's commitments, after their entries were written. */
export async function markCommitmentsComputed(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(MARK_COMPUTED, { organizationId });
}
