/**
 * The groups of `priced-groups.query.ts` by day, kept for days that are over: a simulation of months adds up some rows for each customer
 * instead of events. They can be made again at any time, and hold only where `usage_profile_day` says so.
 */
import { defineEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
import { byRate, wireName } from '../../../schema/token-classes.ts';

const tokens = () => p.bigint();

export const UsageProfileTable = defineEntity({
  name: 'UsageProfile',
  tableName: 'usage_profile',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** First instant of a UTC day. */
    day: p.datetime(0).primary(),
    modelSlug: p.text().primary(),
    providerSlug: p.text().primary(),
    /** Empty where no end user is named. */
    externalId: p.text().primary(),
    /** Empty for a caller's own cost. */
    rateCardVersionId: p.text().primary(),
    pricingContext: p.text().primary(),
    aboveInputTokens: p.bigint().primary(),
    isPlain: p.boolean().primary(),
    events: p.bigint(),
    cost: p.decimal().precision(40).scale(15),
    ...byRate((name) => tokens().fieldName(wireName(name))),
  },
});
