/**
 * The last batch of each organization's feed. A publishing transaction advances this row and holds its lock until it
 * ends. Batch numbers thus have no gaps and become visible in order, on any node.
 */
import { defineEntity, p } from '@mikro-orm/core';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const FeedHeadTable = defineEntity({
  name: 'FeedHead',
  tableName: 'feed_head',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    number: p.bigint(),
    /** Token of the last batch. */
    token: p.uuid(),
    /** Token of the head before it was last advanced; null at first. */
    previousToken: p.uuid().nullable(),
    /** True from when the head advances until every consumer has acknowledged it. Such heads are checked first. */
    isAhead: p.boolean().default(false),
  },
  indexes: [{ name: 'feed_head_ahead_index', properties: ['organizationId'], where: 'is_ahead' }],
});
