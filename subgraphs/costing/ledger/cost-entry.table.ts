/**
 * The ledger, append-only: entry 0 is an event's first cost, later entries are corrections. The event's cost is the sum
 * of its entries.
 */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { columnBytes, jsonArray } from '#platform/database/array-literal.ts';
import { arrayParameters, columnList, columnsOf } from '#platform/database/columns.ts';
import {
  formOf,
  inEachForm,
  type OfOrganization,
  organizationParameter,
  organizationRows,
  withItems,
} from '#platform/database/nodes/organization-rows.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { byCost, isRequired } from '#schema/token-classes.ts';
import type { CostEntryExplanation } from './cost-entry-explanation.ts';
import type { CostTexts } from './cost-parts.ts';

const amount = () => p.decimal().precision(30).scale(15);

const known = () => amount();
const knownOrNull = () => amount().nullable();
const costProperties = byCost<ReturnType<typeof known>, ReturnType<typeof knownOrNull>>((name) =>
  isRequired(name) ? known() : knownOrNull(),
);

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
    /**
     * The time the entry counts at, if the event's month was closed when it was written; null: the event's own time.
     */
    bookedTime: p.datetime(6).nullable(),
    totalCost: amount(),
    ...costProperties,
    modelSlug: p.text(),
    providerSlug: p.text(),
    rateCardId: p.uuid().nullable(),
    rateCardVersionId: p.uuid().nullable(),
    tierAbove: p.bigint().nullable(),
    matchRule: p.text().nullable(),
    /** The full explanation as JSON: token conventions, and the cost of every class. */
    explanation: p.json<CostEntryExplanation>().columnType('json'),
    /**
     * Convention used to read the token counts. With `guessed` and `incomplete` the cost is uncertain. Null for an
     * override and for old entries.
     */
    reading: p.text().nullable(),
    /** The pricing context used: `tier=batch`; empty for the standard price. */
    pricingContext: p.text().default(''),
    /** Pairs of the context without a price, ignored by the organization's choice; null if none. */
    unknownContext: p.text().nullable(),
    /** `reported`: a later report of the same call replaced the event's counts. */
    cause: p.enum(['priced', 'repriced', 'reverted', 'reported']),
    repricingId: p.uuid().nullable(),
    recordedAt: p.datetime(6),
  },
  indexes: [
    { name: 'cost_entry_time_index', properties: ['organizationId', 'eventTime'] },
    {
      name: 'cost_entry_booked_index',
      properties: ['organizationId', 'bookedTime'],
      where: 'booked_time is not null',
    },
    {
      name: 'cost_entry_guessed_index',
      properties: ['organizationId', 'eventTime'],
      where: "reading in ('guessed', 'incomplete')",
    },
    { name: 'cost_entry_stated_index', properties: ['organizationId', 'eventTime'], where: "reading = 'stated'" },
    {
      name: 'cost_entry_unknown_context_index',
      properties: ['organizationId', 'eventTime'],
      where: 'unknown_context is not null',
    },
  ],
});

type CostEntryCause = 'priced' | 'repriced' | 'reverted' | 'reported';

export interface NewCostEntry {
  readonly eventId: EventId;
  readonly sequence: number;
  readonly livemode: boolean;
  /** ISO 8601. */
  readonly eventTime: string;
  /** ISO 8601; replaces the event's own time. */
  readonly bookedTime?: string;
  readonly costs: CostTexts;
  readonly modelSlug: string;
  readonly providerSlug: string;
  readonly rateCardId: string | null;
  readonly rateCardVersionId: string | null;
  readonly tierAbove: number | null;
  readonly matchRule: string | null;
  /** JSON as printed by `printExplanation`. */
  readonly explanation: string;
  readonly reading: string | null;
  readonly pricingContext: string;
  readonly unknownContext: string | null;
  readonly cause: CostEntryCause;
  readonly repricingId: string | null;
}

/** Columns set by the statement or the database. */
const ADDED = ['organizationId', 'recordedAt', 'xid'];
const ENTRY_COLUMNS = columnsOf(CostEntryTable).filter(({ property }) => !ADDED.includes(property));

const INSERT = inEachForm((form) =>
  statement<object, Readonly<Record<string, unknown>>>(
    `insert into cost_entry (recorded_at, organization_id, ${columnList(ENTRY_COLUMNS)})
     select :recordedAt, ${organizationRows(form, arrayParameters(ENTRY_COLUMNS))}`,
    { isPrepared: true },
  ),
);

/** Appends entries of an organization in one statement. */
export function insertCostEntries(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  recordedAt: Date,
  entries: readonly NewCostEntry[],
): Promise<void> {
  return insertCostEntriesOf(tx, recordedAt, [{ organizationId, items: entries }]);
}

/** Appends entries of several organizations in one statement. */
export async function insertCostEntriesOf(
  tx: WriteTransaction,
  recordedAt: Date,
  entries: readonly OfOrganization<NewCostEntry>[],
): Promise<void> {
  const groups = withItems(entries);
  if (groups.length === 0) return;
  const items = groups.flatMap((group) => group.items);
  const costTexts = items.map(({ costs }) => costs as Values);
  const columns: Record<string, unknown> = {};
  for (const { property } of ENTRY_COLUMNS) {
    const rows = COST_PROPERTIES.has(property) ? costTexts : (items as readonly object[] as readonly Values[]);
    columns[property] =
      property === 'explanation' ? jsonArray(items.map(({ explanation }) => explanation)) : columnBytes(rows, property);
  }
  await tx.run(INSERT[formOf(tx, groups)], { ...columns, organization: organizationParameter(groups), recordedAt });
}

type Values = Readonly<Record<string, string | number | boolean | null>>;

/** Columns of `CostTexts`. */
export const COST_COLUMNS = columnsOf(CostEntryTable).filter(({ property }) => property.endsWith('Cost'));
const COST_PROPERTIES = new Set(COST_COLUMNS.map(({ property }) => property));

/** The parts of a stored entry that its explanation needs. */
export interface ExplainedEntry {
  readonly sequence: number;
  readonly recordedAt: Date;
  readonly cause: CostEntryCause;
  readonly totalCost: string;
  readonly modelSlug: string;
  readonly rateCardId: string | null;
  readonly rateCardVersionId: string | null;
  readonly tierAbove: number | null;
  readonly matchRule: string | null;
  readonly reading: string | null;
  readonly pricingContext: string;
  readonly unknownContext: string | null;
  readonly explanation: CostEntryExplanation;
}

const READ_ENTRIES_OF = statement(
  (input: Parameters<{ organizationId: OrganizationId; eventId: EventId; asOf: Date | null }>) => sql<
    Omit<ExplainedEntry, 'recordedAt'> & { recordedAt: string }
  >`
    select sequence, recorded_at::text, cause, total_cost::text, model_slug,
      rate_card_id, rate_card_version_id, tier_above::float8,
      match_rule, reading, pricing_context, unknown_context, explanation
    from cost_entry
    where organization_id = ${input.organizationId} and event_id = ${input.eventId} and (${input.asOf}::timestamptz is null or recorded_at <= ${input.asOf}) order by sequence`,
);

/** An event's entries up to an instant, oldest first. */
export async function readEntriesOf(
  tx: Transaction,
  organizationId: OrganizationId,
  eventId: EventId,
  asOf: Date | null,
): Promise<ExplainedEntry[]> {
  const rows = await tx.all(READ_ENTRIES_OF, { organizationId, eventId, asOf });
  return rows.map((row) => ({ ...row, recordedAt: new Date(row.recordedAt) }));
}
