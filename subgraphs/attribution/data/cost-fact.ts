/** What costing said, one row for each ledger entry, append-only. Every other table of sums can be rebuilt from it. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

const amount = () => p.decimal().precision(30).scale(15);

export const CostFactTable = defineEntity({
  name: 'CostFact',
  tableName: 'cost_fact',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    eventId: p.uuid().primary(),
    sequence: p.integer().primary(),
    eventTime: p.datetime(6),
    endUserId: p.uuid().nullable(),
    modelSlug: p.text(),
    providerId: p.text(),
    providerSlug: p.text(),
    providerName: p.text(),
    inputTokens: p.bigint(),
    outputTokens: p.bigint(),
    cacheCreationInputTokens: p.bigint().nullable(),
    cacheReadInputTokens: p.bigint().nullable(),
    reasoningTokens: p.bigint().nullable(),
    totalCost: amount(),
    inputCost: amount(),
    outputCost: amount(),
    cacheCreationCost: amount().nullable(),
    cacheReadCost: amount().nullable(),
    reasoningCost: amount().nullable(),
    dimensions: p.json<Readonly<Record<string, string>>>(),
    sessionId: p.text().nullable(),
    spanId: p.text().nullable(),
    parentSpanId: p.text().nullable(),
    /** Number of the follower's transaction that brought it. */
    arrival: p.bigint(),
  },
  indexes: [
    { name: 'cost_fact_time_index', properties: ['organizationId', 'eventTime'] },
    { name: 'cost_fact_end_user_index', properties: ['organizationId', 'endUserId', 'eventTime'] },
    { name: 'cost_fact_session_index', properties: ['organizationId', 'sessionId'], where: 'session_id is not null' },
  ],
});

export type CostFactRow = InferEntity<typeof CostFactTable>;
