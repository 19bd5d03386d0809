/** The ledger, append-only: entry 0 is an event's cost, later ones are differences. The sum over its entries is an event's cost. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

const amount = () => p.decimal().precision(30).scale(15);

export const CostEntryTable = defineEntity({
  name: 'CostEntry',
  tableName: 'cost_entry',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    eventId: p.uuid().primary(),
    sequence: p.integer().primary(),
    livemode: p.boolean(),
    eventTime: p.datetime(6),
    totalCost: amount(),
    inputCost: amount(),
    outputCost: amount(),
    cacheCreationCost: amount().nullable(),
    cacheReadCost: amount().nullable(),
    reasoningCost: amount().nullable(),
    modelSlug: p.text(),
    providerSlug: p.text(),
    rateCardId: p.uuid().nullable(),
    rateCardVersionId: p.uuid().nullable(),
    tierAbove: p.bigint().nullable(),
    matchRule: p.text().nullable(),
    /** How tokens were read and what every class came to: the whole explanation, as JSON. */
    explanation: p.json<CostEntryExplanation>().columnType('json'),
    cause: p.enum(['priced', 'repriced', 'reverted']),
    repricingId: p.uuid().nullable(),
    recordedAt: p.datetime(6),
    /** The writing transaction: says which entries a replay of the feed has to bring. */
    xid: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
  },
  indexes: [{ name: 'cost_entry_time_index', properties: ['organizationId', 'eventTime'] }],
});

/** How an entry came about, in short keys: it is stored once for each event. */
export interface CostEntryExplanation {
  /** How tokens were read, input then output, and why; absent for an override. */
  readonly reading?: string;
  /** Class, quantity, rate, per, cost; quantity and rate are null in a correction. */
  readonly lines: readonly CostEntryLine[];
}

export type CostEntryLine = readonly [item: string, quantity: string | null, rate: string | null, per: 1 | 1_000_000, cost: string];

export type CostEntry = InferEntity<typeof CostEntryTable>;
