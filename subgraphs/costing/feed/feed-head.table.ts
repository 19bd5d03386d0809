/**
 * The last batch of each organization's feed. Its row is raised when a transaction publishes, and the row's lock holds until that
 * transaction ends: so numbers are without gap, and become visible in their order, on any node.
 */
import { defineEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const FeedHeadTable = defineEntity({
  name: 'FeedHead',
  tableName: 'feed_head',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    number: p.bigint(),
    /** Of the last batch. */
    token: p.uuid(),
    /** Token that the head had before it was raised last; null at first. */
    previousToken: p.uuid().nullable(),
    /** Set when it is raised, until every follower has said that it has all of it: where to look first. */
    isAhead: p.boolean().default(false),
  },
  indexes: [{ name: 'feed_head_ahead_index', properties: ['organizationId'], where: 'is_ahead' }],
});
