/** Reporting currencies of an organization, by the month from which they apply. USD before the first one. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { CurrencyChoice } from './currency-of-day.ts';

export const OrganizationCurrencyTable = defineEntity({
  name: 'OrganizationCurrency',
  tableName: 'organization_currency',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** First day of the month. */
    fromMonth: p.date().primary(),
    /** ISO 4217, upper case. */
    currency: p.text(),
  },
});

const LIST_CHOICES = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<CurrencyChoice>`select from_month::text, currency from organization_currency where organization_id = ${organizationId} order by from_month`,
);

/** The choices of a currency, in order; empty while the organization reports in USD. */
export function currencyChoices(tx: Transaction, organizationId: OrganizationId): Promise<CurrencyChoice[]> {
  return tx.all(LIST_CHOICES, { organizationId });
}

const SAVE_CHOICE = statement(
  (input: Parameters<{ organizationId: OrganizationId; fromMonth: string; currency: string }>) => sql<object>`
    with later as (
      delete from organization_currency where organization_id = ${input.organizationId} and from_month > ${input.fromMonth}::date)
    insert into organization_currency (organization_id, from_month, currency) values (${input.organizationId}, ${input.fromMonth}, ${input.currency})
    on conflict (organization_id, from_month) do update set currency = excluded.currency`,
);

/** Replaces choices from the same month and from later ones. */
export async function saveCurrencyChoice(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { fromMonth, currency }: CurrencyChoice,
): Promise<void> {
  await tx.run(SAVE_CHOICE, { organizationId, fromMonth, currency });
}
