/** Events that have had their turn and have no cost: they wait for a rate card, or were given up. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const UnpricedEventTable = defineEntity({
  name: 'UnpricedEvent',
  tableName: 'unpriced_event',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    eventId: p.uuid().primary(),
    status: p.enum(['pending_rate_card', 'failed']),
    livemode: p.boolean(),
    eventTime: p.datetime(6),
    model: p.text(),
    provider: p.text().nullable(),
    reason: p.text(),
    since: p.datetime(3),
  },
  indexes: [
    { name: 'unpriced_event_model_index', properties: ['organizationId', 'status', 'model'] },
    { name: 'unpriced_event_time_index', properties: ['organizationId', 'eventTime'] },
  ],
});

export type UnpricedEvent = InferEntity<typeof UnpricedEventTable>;
