/** Every name of every rate card in lower case, its slug among them: the index that matching goes by. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { rateTable } from './rate-table.ts';

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

export async function insertRateAliases(em: EntityManager, aliases: readonly RateAlias[]): Promise<void> {
  if (aliases.length === 0) return;
  await query(
    em,
    `
    insert into rate_alias (organization_id, rate_card_id, name) select * from unnest($1::uuid[], $2::uuid[], $3::text[])
    on conflict do nothing`,
    [
      aliases.map((alias) => alias.organizationId),
      aliases.map((alias) => alias.rateCardId),
      aliases.map((alias) => alias.name),
    ],
  );
}

export async function deleteRateAliases(em: EntityManager, aliases: readonly RateAlias[]): Promise<void> {
  if (aliases.length === 0) return;
  await query(
    em,
    `
    delete from rate_alias where (organization_id, rate_card_id, name) in (select * from unnest($1::uuid[], $2::uuid[], $3::text[]))`,
    [
      aliases.map((alias) => alias.organizationId),
      aliases.map((alias) => alias.rateCardId),
      aliases.map((alias) => alias.name),
    ],
  );
}
