/** Credits that providers gave, and prepayments. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { amount, plain } from '#kernel/money.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { CREDIT_KINDS, type ProviderCredit } from './provider-credit.ts';

export const ProviderCreditTable = defineEntity({
  name: 'ProviderCredit',
  tableName: 'provider_credit',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.enum(CREDIT_KINDS).default('credit'),
    name: p.text(),
    providerSlug: p.text(),
    models: p.array().nullable(),
    classes: p.array().nullable(),
    amount: p.decimal().precision(30).scale(15),
    fromDay: p.date(),
    untilDay: p.date().nullable(),
    burnOrder: p.integer().nullable(),
    revision: p.integer(),
    /** The revision that the entries were computed with. */
    burntRevision: p.integer(),
    isRemoved: p.boolean(),
    changedAt: p.datetime(3),
  },
});

type CreditRow = Omit<ProviderCredit, 'amount' | 'changedAt'> & { readonly amount: string; readonly changedAt: string };

const LIST_CREDITS = statement<CreditRow, { readonly organizationId: OrganizationId }>(`
  select id, kind, name, provider_slug, models, classes, amount::text, from_day::text, until_day::text, burn_order, revision, is_removed,
    ${isoMillis('changed_at')} as changed_at
  from provider_credit where organization_id = :organizationId order by provider_slug, from_day, id`);

/** Lists credits, including removed ones, by provider and first day. */
export async function listCreditRows(tx: Transaction, organizationId: OrganizationId): Promise<ProviderCredit[]> {
  const rows = await tx.all(LIST_CREDITS, { organizationId });
  return rows.map((row) => ({ ...row, amount: amount(row.amount), changedAt: new Date(row.changedAt) }));
}

const SAVE_CREDIT = statement<
  object,
  Omit<ProviderCredit, 'amount'> & { readonly organizationId: OrganizationId; readonly amount: string }
>(`
  insert into provider_credit (organization_id, id, kind, name, provider_slug, models, classes, amount, from_day, until_day, burn_order, revision,
    burnt_revision, is_removed, changed_at)
  values (:organizationId, :id, :kind, :name, :providerSlug, :models::text[], :classes::text[], :amount, :fromDay, :untilDay, :burnOrder, :revision,
    0, :isRemoved, :changedAt)
  on conflict (organization_id, id) do update set kind = excluded.kind, name = excluded.name, provider_slug = excluded.provider_slug, models = excluded.models,
    classes = excluded.classes, amount = excluded.amount, from_day = excluded.from_day, until_day = excluded.until_day,
    burn_order = excluded.burn_order, revision = excluded.revision, is_removed = excluded.is_removed, changed_at = excluded.changed_at`);

export async function saveCreditRow(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  credit: ProviderCredit,
): Promise<void> {
  await tx.run(SAVE_CREDIT, { ...credit, organizationId, amount: plain(credit.amount) });
}

const MARK_BURNT = statement<object, { readonly organizationId: OrganizationId }>(
  'update provider_credit set burnt_revision = revision where organization_id = :organizationId and burnt_revision <> revision',
);

/** Call it under the lock of the organization's credits, after their entries were written. */
export async function markCreditsBurnt(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(MARK_BURNT, { organizationId });
}
