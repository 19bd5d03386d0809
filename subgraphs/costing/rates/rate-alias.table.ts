/** All names of every rate card in lower case, including its slug. This is the index used for matching. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { rateRows, rateTable } from './rate-table.ts';

export const RateAliasTable = defineEntity({
  name: 'RateAlias',
  tableName: 'rate_alias',
  ...rateTable(),
  properties: {
    organizationId: p.uuid().primary(),
    rateCardId: p.uuid().primary(),
    name: p.text().primary(),
  },
  indexes: [{ name: 'rate_alias_name_index', properties: ['name', 'organizationId'] }],
});

export type RateAlias = InferEntity<typeof RateAliasTable>;

const INSERT_RATE_ALIASES = statement(
  (
    input: Parameters<{
      organizationIds: readonly OrganizationId[];
      rateCardIds: readonly string[];
      names: readonly string[];
    }>,
  ) => sql<object>`
    insert into rate_alias (organization_id, rate_card_id, name) select item.* from ${sql.raw(rateRows)} unnest(${input.organizationIds}::uuid[], ${input.rateCardIds}::uuid[], ${input.names}::text[]) as item
    on conflict do nothing`,
);

export async function insertRateAliases(tx: WriteTransaction, aliases: readonly RateAlias[]): Promise<void> {
  if (aliases.length === 0) return;
  await tx.run(INSERT_RATE_ALIASES, {
    organizationIds: aliases.map((alias) => alias.organizationId),
    rateCardIds: aliases.map((alias) => alias.rateCardId),
    names: aliases.map((alias) => alias.name),
  });
}

const DELETE_RATE_ALIASES = statement(
  (
    input: Parameters<{
      organizationIds: readonly OrganizationId[];
      rateCardIds: readonly string[];
      names: readonly string[];
    }>,
  ) => sql<object>`
    delete from rate_alias where (organization_id, rate_card_id, name) in (select * from unnest(${input.organizationIds}::uuid[], ${input.rateCardIds}::uuid[], ${input.names}::text[]))`,
);

export async function deleteRateAliases(tx: WriteTransaction, aliases: readonly RateAlias[]): Promise<void> {
  if (aliases.length === 0) return;
  await tx.run(DELETE_RATE_ALIASES, {
    organizationIds: aliases.map((alias) => alias.organizationId),
    rateCardIds: aliases.map((alias) => alias.rateCardId),
    names: aliases.map((alias) => alias.name),
  });
}
