/** Agreements with providers: the provider, a name, and the period. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';

export const AgreementTable = defineEntity({
  name: 'Agreement',
  tableName: 'agreement',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    providerSlug: p.text(),
    name: p.text(),
    /** Number of the contract, for display. */
    reference: p.text().nullable(),
    /** First UTC day. */
    fromDay: p.date(),
    /** The day after the last day; null if there is no end. */
    untilDay: p.date().nullable(),
    changedAt: p.datetime(3),
  },
});

export interface Agreement {
  readonly id: string;
  readonly providerSlug: string;
  readonly name: string;
  readonly reference: string | null;
  /** `2026-10-01` */
  readonly fromDay: string;
  readonly untilDay: string | null;
  readonly changedAt: string;
}

const LIST_AGREEMENTS = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) => sql<Agreement>`
    select id, provider_slug, name, reference, from_day::text, until_day::text, changed_at::text
    from agreement where organization_id = ${organizationId} order by provider_slug, from_day, id`,
);

export function listAgreementRows(tx: Transaction, organizationId: OrganizationId): Promise<Agreement[]> {
  return tx.all(LIST_AGREEMENTS, { organizationId });
}

const SAVE_AGREEMENT = statement(
  (input: Parameters<Omit<Agreement, 'changedAt'> & { organizationId: OrganizationId; at: Date }>) => sql<object>`
    insert into agreement (organization_id, id, provider_slug, name, reference, from_day, until_day, changed_at)
    values (${input.organizationId}, ${input.id}, ${input.providerSlug}, ${input.name}, ${input.reference},
      ${input.fromDay}, ${input.untilDay}, ${input.at})
    on conflict (organization_id, id) do update set provider_slug = excluded.provider_slug, name = excluded.name,
      reference = excluded.reference, from_day = excluded.from_day, until_day = excluded.until_day,
      changed_at = excluded.changed_at`,
);

export async function saveAgreementRow(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  agreement: Omit<Agreement, 'changedAt'>,
  at: Date,
): Promise<void> {
  await tx.run(SAVE_AGREEMENT, { ...agreement, organizationId, at });
}

const DELETE_AGREEMENT = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string }>) => sql<{ name: string }>`
    delete from agreement where organization_id = ${input.organizationId} and id = ${input.id} returning name`,
);

/** Returns its name; null if it does not exist. */
export async function deleteAgreementRow(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<string | null> {
  return (await tx.first(DELETE_AGREEMENT, { organizationId, id }))?.name ?? null;
}
