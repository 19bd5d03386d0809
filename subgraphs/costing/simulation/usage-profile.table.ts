/**
 * The groups of `priced-groups.query.ts` by past day. A simulation of months thus sums a few rows per customer instead
 * of events. Profiles can be rebuilt at any time, and are valid only according to `usage_profile_day`.
 */
import { defineEntity, p } from '@mikro-orm/core';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { byRate, wireName } from '#schema/token-classes.ts';

const tokens = () => p.bigint();

export const UsageProfileTable = defineEntity({
  name: 'UsageProfile',
  tableName: 'usage_profile',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Start of a UTC day. */
    day: p.datetime(0).primary(),
    modelSlug: p.text().primary(),
    providerSlug: p.text().primary(),
    /** Empty for events without an end user. */
    externalId: p.text().primary(),
    /** Empty for a cost stated by the caller. */
    rateCardVersionId: p.text().primary(),
    pricingContext: p.text().primary(),
    aboveInputTokens: p.bigint().primary(),
    isPlain: p.boolean().primary(),
    events: p.bigint(),
    cost: p.decimal().precision(40).scale(15),
    ...byRate((name) => tokens().fieldName(wireName(name))),
  },
});
