/** Every name of every rate card in lower case, its slug among them: the index that matching goes by. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
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
