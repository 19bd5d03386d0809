/** Rate cards: one for each model of a provider, of the catalogue or written by a person. What it charges stands in its versions. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { rateTable } from './rate-table.ts';

export const RateCardTable = defineEntity({
  name: 'RateCard',
  tableName: 'rate_card',
  ...rateTable(),
  properties: {
    /** `EVERYBODY` for a standard card. */
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** Null: it prices models of any provider. */
    providerSlug: p.text().nullable(),
    modelSlug: p.text(),
    matchKind: p.enum(['catalogue', 'prefix']),
    createdAt: p.datetime(3),
  },
});

export type RateCard = InferEntity<typeof RateCardTable>;
