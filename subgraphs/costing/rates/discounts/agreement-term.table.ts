/** Terms of agreements. A discount is a percentage off the list price of a selection of models and classes. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { plain, quantity, type Quantity } from '#kernel/money.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import type { Discount } from './discount.ts';

export const AgreementTermTable = defineEntity({
  name: 'AgreementTerm',
  tableName: 'agreement_term',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    agreementId: p.uuid().primary(),
    /** Position in the agreement, from 1. */
    number: p.integer().primary(),
    kind: p.enum(['discount']),
    /** In lower case, with `*` at the end for a prefix; null: all. */
    models: p.array().nullable(),
    /** Null: all. */
    classes: p.array().nullable(),
    percent: p.decimal().precision(7).scale(4),
    /** First UTC day; null: the agreement's first day. */
    fromDay: p.date().nullable(),
    /** The day after the last day; null: the agreement's end. */
    untilDay: p.date().nullable(),
  },
});

export interface DiscountTerm {
  readonly models: readonly string[] | null;
  readonly classes: readonly string[] | null;
  readonly percent: Quantity;
  readonly fromDay: string | null;
  readonly untilDay: string | null;
}

type TermRow = Omit<DiscountTerm, 'percent'> & { readonly agreementId: string; readonly percent: string };

const LIST_TERMS = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) => sql<TermRow>`
    select agreement_id, models, classes, percent::text, from_day::text, until_day::text
    from agreement_term where organization_id = ${organizationId} order by agreement_id, number`,
);

/** The terms of each agreement, in their order; keyed by the agreement's id. */
export async function listTerms(
  tx: Transaction,
  organizationId: OrganizationId,
): Promise<ReadonlyMap<string, readonly DiscountTerm[]>> {
  const rows = await tx.all(LIST_TERMS, { organizationId });
  const terms = rows.map(({ agreementId, ...row }) => ({ agreementId, ...row, percent: quantity(row.percent) }));
  return Map.groupBy(terms, ({ agreementId }) => agreementId);
}

const DELETE_TERMS = statement(
  (input: Parameters<{ organizationId: OrganizationId; agreementId: string }>) => sql<object>`
    delete from agreement_term where organization_id = ${input.organizationId} and agreement_id = ${input.agreementId}`,
);

type NewTerm = TermRow & { readonly organizationId: OrganizationId; readonly number: number };

const INSERT_TERM = statement(
  (input: Parameters<NewTerm>) => sql<object>`
    insert into agreement_term (organization_id, agreement_id, number, kind, models, classes, percent, from_day, until_day)
    values (${input.organizationId}, ${input.agreementId}, ${input.number}, 'discount', ${input.models}::text[],
      ${input.classes}::text[], ${input.percent}, ${input.fromDay}, ${input.untilDay})`,
);

/** Replaces the terms of an agreement; if no new ones are given, only removes them. */
export async function replaceTerms(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  agreementId: string,
  terms: readonly DiscountTerm[],
): Promise<void> {
  await tx.run(DELETE_TERMS, { organizationId, agreementId });
  for (const [index, term] of terms.entries())
    await tx.run(INSERT_TERM, {
      ...term,
      organizationId,
      agreementId,
      number: index + 1,
      percent: plain(term.percent),
    });
}

interface DiscountRow extends Omit<Discount, 'percent'> {
  readonly percent: string;
}

const LIST_DISCOUNTS = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) => sql<DiscountRow>`
    select a.name as agreement, a.provider_slug, t.models, t.classes, t.percent::text,
      extract(epoch from greatest(a.from_day, t.from_day)::timestamp)::float8 * 1000 as from_ms,
      extract(epoch from least(a.until_day, t.until_day)::timestamp)::float8 * 1000 as until_ms
    from agreement a join agreement_term t on t.organization_id = a.organization_id and t.agreement_id = a.id
    where a.organization_id = ${organizationId} and t.kind = 'discount' order by a.id, t.number`,
);

/** Discounts, each in force on the days that its term and its agreement have in common. */
export async function listDiscounts(tx: Transaction, organizationId: OrganizationId): Promise<Discount[]> {
  const rows = await tx.all(LIST_DISCOUNTS, { organizationId });
  return rows.map((row) => ({ ...row, percent: quantity(row.percent) }));
}
