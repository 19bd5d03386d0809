/** Rates of a version above a number of input tokens. */
import { defineEntity, p } from '@mikro-orm/core';
import { rateProperties } from './rate-card-version.table.ts';
import { rateTable } from './rate-table.ts';

export const RateTierTable = defineEntity({
  name: 'RateTier',
  tableName: 'rate_tier',
  ...rateTable(),
  properties: {
    organizationId: p.uuid().primary(),
    rateCardVersionId: p.uuid().primary(),
    aboveInputTokens: p.bigint().primary(),
    ...rateProperties,
  },
});
