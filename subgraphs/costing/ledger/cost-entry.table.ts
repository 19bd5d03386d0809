/** The ledger, append-only: entry 0 is an event's cost, later ones are differences. The sum over its entries is an event's cost. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { plain, type Money } from '../../../kernel/money.ts';
import { arrayLiteral } from '../../../platform/database/array-literal.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query, type Transaction } from '../../../platform/database/sql.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

const amount = () => p.decimal().precision(30).scale(15);

/** USD by class: of a cost, or the differences of a correction. Null: the class was not reported. */
export interface CostParts {
  readonly total: Money;
  readonly input: Money;
  readonly output: Money;
  readonly cacheCreation: Money | null;
  readonly cacheRead: Money | null;
  readonly reasoning: Money | null;
}

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

export type CostEntryLine = readonly [
  item: string,
  quantity: string | null,
  rate: string | null,
  per: 1 | 1_000_000,
  cost: string,
];

export type CostEntry = InferEntity<typeof CostEntryTable>;

export interface NewCostEntry {
  readonly eventId: string;
  readonly sequence: number;
  readonly livemode: boolean;
  /** ISO 8601. */
  readonly eventTime: string;
  readonly parts: CostParts;
  readonly modelSlug: string;
  readonly providerSlug: string;
  readonly rateCardId: string | null;
  readonly rateCardVersionId: string | null;
  readonly tierAbove: number | null;
  readonly matchRule: string | null;
  readonly explanation: CostEntryExplanation;
  readonly cause: 'priced' | 'repriced' | 'reverted';
  readonly repricingId: string | null;
}

/** Appends entries in one statement. */
export async function insertCostEntries(
  em: EntityManager,
  organizationId: string,
  recordedAt: Date,
  entries: readonly NewCostEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const column = (value: (entry: NewCostEntry) => string | number | boolean | null) => arrayLiteral(entries.map(value));
  await query(
    em,
    `
    insert into cost_entry (organization_id, recorded_at, event_id, sequence, livemode, event_time, total_cost, input_cost,
      output_cost, cache_creation_cost, cache_read_cost, reasoning_cost, model_slug, provider_slug, rate_card_id, rate_card_version_id, tier_above,
      match_rule, explanation, cause, repricing_id)
    select $1, $2, * from unnest($3::uuid[], $4::int[], $5::boolean[], $6::timestamptz[], $7::numeric[], $8::numeric[], $9::numeric[],
      $10::numeric[], $11::numeric[], $12::numeric[], $13::text[], $14::text[], $15::uuid[], $16::uuid[], $17::bigint[],
      $18::text[], $19::json[], $20::text[], $21::uuid[])`,
    [
      organizationId,
      recordedAt,
      column((entry) => entry.eventId),
      column((entry) => entry.sequence),
      column((entry) => entry.livemode),
      column((entry) => entry.eventTime),
      column(({ parts }) => plain(parts.total)),
      column(({ parts }) => plain(parts.input)),
      column(({ parts }) => plain(parts.output)),
      column(({ parts }) => text(parts.cacheCreation)),
      column(({ parts }) => text(parts.cacheRead)),
      column(({ parts }) => text(parts.reasoning)),
      column((entry) => entry.modelSlug),
      column((entry) => entry.providerSlug),
      column((entry) => entry.rateCardId),
      column((entry) => entry.rateCardVersionId),
      column((entry) => entry.tierAbove),
      column((entry) => entry.matchRule),
      column((entry) => JSON.stringify(entry.explanation)),
      column((entry) => entry.cause),
      column((entry) => entry.repricingId),
    ],
  );
}

function text(amount: Money | null): string | null {
  return amount === null ? null : plain(amount);
}

/** A stored entry, for explaining it. */
export interface ExplainedEntry {
  readonly sequence: number;
  readonly recordedAt: Date;
  readonly cause: string;
  readonly totalCost: string;
  readonly modelSlug: string;
  readonly rateCardId: string | null;
  readonly rateCardVersionId: string | null;
  readonly tierAbove: number | null;
  readonly matchRule: string | null;
  readonly explanation: CostEntryExplanation;
}

/** An event's entries up to an instant, oldest first. */
export async function readEntriesOf(
  tx: Transaction,
  organizationId: string,
  eventId: string,
  asOf: Date | null,
): Promise<ExplainedEntry[]> {
  const rows = await query<Omit<ExplainedEntry, 'recordedAt'> & { recordedAt: string }>(
    tx,
    `
    select sequence, recorded_at::text, cause, total_cost::text, model_slug,
      rate_card_id, rate_card_version_id, tier_above::float8,
      match_rule, explanation
    from cost_entry
    where organization_id = $1 and event_id = $2 and ($3::timestamptz is null or recorded_at <= $3) order by sequence`,
    [organizationId, eventId, asOf],
  );
  return rows.map((row) => ({ ...row, recordedAt: new Date(row.recordedAt) }));
}
