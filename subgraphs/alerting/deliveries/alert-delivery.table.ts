/** The outbox: what is to be sent to which channel. Written with the episode that it tells of, sent by a job. */
import { defineEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const AlertDeliveryTable = defineEntity({
  name: 'AlertDelivery',
  tableName: 'alert_delivery',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    /** The receiver's `webhook-id`: the same in every attempt. */
    id: p.uuid().primary(),
    channelId: p.uuid(),
    /** Null for a test. */
    episodeId: p.uuid().nullable(),
    /** Such as `alert.opened`. */
    eventType: p.text(),
    /** As it is signed, byte for byte. */
    body: p.text(),
    createdAt: p.datetime(3),
    /** When the next attempt is due; null: there is none. */
    dueAt: p.datetime(3).nullable(),
    /** Attempts made. */
    attempt: p.integer(),
    leaseOwner: p.uuid().nullable(),
    leaseUntil: p.datetime(3).nullable(),
    doneAt: p.datetime(3).nullable(),
    gaveUpAt: p.datetime(3).nullable(),
    lastError: p.text().nullable(),
  },
  indexes: [
    {
      name: 'alert_delivery_due_index',
      expression: 'create index alert_delivery_due_index on alert_delivery (due_at) where due_at is not null',
    },
    { name: 'alert_delivery_channel_index', properties: ['organizationId', 'channelId', 'id'] },
    { name: 'alert_delivery_episode_index', properties: ['organizationId', 'episodeId', 'id'] },
  ],
});
