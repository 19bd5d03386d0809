/** Usage events as they were accepted. Rows are never changed: their state of processing is told by the queue, the waiting list and the ledger. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const UsageEventTable = defineEntity({
  name: 'UsageEvent',
  tableName: 'usage_event',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    livemode: p.boolean(),
    idempotencyKey: p.text(),
    accountUserId: p.uuid(),
    model: p.text(),
    provider: p.text().nullable(),
    endUserExternalId: p.text().nullable(),
    inputTokens: p.bigint(),
    outputTokens: p.bigint(),
    cacheCreationInputTokens: p.bigint().nullable(),
    cacheReadInputTokens: p.bigint().nullable(),
    reasoningTokens: p.bigint().nullable(),
    eventTime: p.datetime(6),
    receivedAt: p.datetime(6),
    costOverride: p.decimal().precision(30).scale(15).nullable(),
    experimentId: p.text().nullable(),
    variant: p.text().nullable(),
    sessionId: p.text().nullable(),
    sessionType: p.text().nullable(),
    spanId: p.text().nullable(),
    parentSpanId: p.text().nullable(),
    feature: p.text().nullable(),
    agentId: p.text().nullable(),
    workflowId: p.text().nullable(),
    units: p.decimal().precision(30).scale(15).nullable(),
    /** As sent, to the letter: not `jsonb`, which would reorder keys and write numbers anew. */
    metadata: p.json<unknown>().columnType('json').nullable(),
    /** Whether a credit was spent on it. */
    charged: p.boolean(),
  },
  uniques: [{ name: 'usage_event_key_unique', properties: ['organizationId', 'livemode', 'idempotencyKey'] }],
  indexes: [
    {
      name: 'usage_event_time_index',
      expression: 'create index usage_event_time_index on usage_event (organization_id, event_time desc, id) where livemode',
    },
    {
      name: 'usage_event_end_user_index',
      expression:
        'create index usage_event_end_user_index on usage_event (organization_id, end_user_external_id, event_time desc, id) where livemode and end_user_external_id is not null',
    },
  ],
});

export type UsageEvent = InferEntity<typeof UsageEventTable>;
