/**
 * Revenue records, append-only (decision 9, D41). Entry 0 of a line creates its record, later entries are differences.
 * A line's current state is the sum of its entries.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { money, plain } from '#kernel/money.ts';
import { queueConversion } from '../currencies/conversion-queue.table.ts';
import { holdClosing } from './revenue-closing.table.ts';
import type { RecordEntry, RecordFacts, RecordState } from './correct-record.ts';

export const RevenueRecordTable = defineEntity({
  name: 'RevenueRecord',
  tableName: 'revenue_record',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /**
     * The processor's line id. For a refund, dispute or credit without a line: its id, a slash, and the invoice line's
     * id.
     */
    lineId: p.text().primary(),
    sequence: p.integer().primary(),
    kind: p.enum(['invoice_line', 'credit_note', 'refund', 'dispute']),
    /** The invoice, credit note, refund or dispute. */
    sourceId: p.text(),
    invoiceId: p.text(),
    /** Order of the lines on their invoice. */
    position: p.integer(),
    customerId: p.text().nullable(),
    /** In major units of the currency, after discounts, without tax. */
    amount: p.decimal().precision(30).scale(15),
    /** ISO 4217, lower case. Only `usd` is recognized. */
    currency: p.text(),
    periodStart: p.datetime(3),
    /** Exclusive. If equal to the start, the record is recognized at that instant. */
    periodEnd: p.datetime(3),
    /**
     * Set if months of the period were closed when the entry was written: their share is recognized at this instant.
     */
    recognizedFrom: p.datetime(3).nullable(),
    /** 1: the record is created; -1: it is withdrawn; 0: its amount changes. */
    records: p.smallint(),
    recordedAt: p.datetime(3),
    syncRunId: p.uuid().nullable(),
  },
  indexes: [
    { name: 'revenue_record_invoice_index', properties: ['organizationId', 'invoiceId'] },
    { name: 'revenue_record_period_index', properties: ['organizationId', 'periodEnd', 'periodStart'] },
    {
      name: 'revenue_record_late_index',
      properties: ['organizationId', 'recognizedFrom'],
      where: 'recognized_from is not null',
    },
    {
      name: 'revenue_record_reduction_index',
      properties: ['organizationId', 'sourceId'],
      where: "kind <> 'invoice_line'",
    },
  ],
  checks: [
    { name: 'revenue_record_period', expression: 'period_start <= period_end' },
    { name: 'revenue_record_records', expression: 'records >= -1 and records <= 1' },
  ],
});

/** Lines by id, or all lines of some invoices. */
export type LineChoice = { readonly lineIds: readonly string[] } | { readonly invoiceIds: readonly string[] };

const readStates = (column: 'line_id' | 'invoice_id') =>
  statement<StateRow, { readonly organizationId: OrganizationId; readonly ids: readonly string[] }>(`
    with summed as (
      select line_id, max(sequence) as last_sequence, sum(amount) as amount, sum(records) > 0 as lives
      from revenue_record where organization_id = :organizationId
        and line_id in (select line_id from revenue_record where organization_id = :organizationId and ${column} = any(:ids))
      group by line_id)
    select line_id, last_sequence, summed.amount::text, lives, kind, source_id, invoice_id, position, customer_id, currency,
      extract(epoch from period_start)::float8 as period_start, extract(epoch from period_end)::float8 as period_end
    from summed join revenue_record as last using (line_id)
    where last.organization_id = :organizationId and last.sequence = summed.last_sequence`);
const STATES_OF_LINES = readStates('line_id');
const STATES_OF_INVOICES = readStates('invoice_id');

/** Current state of lines, by line id. */
export async function recordStates(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  choice: LineChoice,
): Promise<Map<string, RecordState>> {
  const rows = await ('lineIds' in choice
    ? tx.all(STATES_OF_LINES, { organizationId, ids: choice.lineIds })
    : tx.all(STATES_OF_INVOICES, { organizationId, ids: choice.invoiceIds }));
  return new Map(
    rows.map((row) => [
      row.lineId,
      {
        lineId: row.lineId,
        kind: row.kind,
        sourceId: row.sourceId,
        invoiceId: row.invoiceId,
        position: row.position,
        customerId: row.customerId,
        amount: money(row.amount),
        currency: row.currency,
        periodStart: row.periodStart,
        periodEnd: row.periodEnd,
        lastSequence: row.lastSequence,
        lives: row.lives,
      },
    ]),
  );
}

interface StateRow {
  lineId: string;
  lastSequence: number;
  amount: string;
  lives: boolean;
  kind: RecordFacts['kind'];
  sourceId: string;
  invoiceId: string;
  position: number;
  customerId: string | null;
  currency: string;
  periodStart: number;
  periodEnd: number;
}

const LIVE_LINE_IDS = statement(
  ({ organizationId, invoiceId }: Parameters<{ organizationId: OrganizationId; invoiceId: string }>) => sql<{
    lineId: string;
  }>`select line_id from revenue_record where organization_id = ${organizationId} and invoice_id = ${invoiceId} and kind = 'invoice_line'
     group by line_id having sum(records) > 0 order by line_id`,
);

/** Ids of an invoice's live lines. */
export async function liveLineIds(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  invoiceId: string,
): Promise<string[]> {
  const rows = await tx.all(LIVE_LINE_IDS, { organizationId, invoiceId });
  return rows.map(({ lineId }) => lineId);
}

const APPEND_ENTRIES = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      lineIds: readonly string[];
      sequences: readonly number[];
      kinds: readonly ('invoice_line' | 'credit_note' | 'refund' | 'dispute')[];
      sourceIds: readonly string[];
      invoiceIds: readonly string[];
      positions: readonly number[];
      customerIds: readonly (string | null)[];
      amounts: readonly string[];
      currencys: readonly string[];
      periodStarts: readonly number[];
      periodEnds: readonly number[];
      records: readonly (0 | 1 | -1)[];
      now: Date;
      syncRunId: string | null;
    }>,
  ) => sql<object>`insert into revenue_record (organization_id, line_id, sequence, kind, source_id, invoice_id, position, customer_id, amount, currency,
       period_start, period_end, records, recorded_at, sync_run_id, recognized_from)
     select ${input.organizationId}, given.line_id, given.sequence, given.kind, given.source_id, given.invoice_id, given.position, given.customer_id, given.amount,
       given.currency, to_timestamp(given.period_start), to_timestamp(given.period_end), given.records, ${input.now}, ${input.syncRunId},
       (select closed_until from revenue_closing where organization_id = ${input.organizationId} and closed_until > to_timestamp(given.period_start))
     from unnest(${input.lineIds}::text[], ${input.sequences}::int[], ${input.kinds}::text[], ${input.sourceIds}::text[], ${input.invoiceIds}::text[], ${input.positions}::int[], ${input.customerIds}::text[], ${input.amounts}::numeric[], ${input.currencys}::text[],
       ${input.periodStarts}::bigint[], ${input.periodEnds}::bigint[], ${input.records}::smallint[])
       as given (line_id, sequence, kind, source_id, invoice_id, position, customer_id, amount, currency, period_start, period_end, records)`,
);

/** Waits while months are being closed. `syncRunId` null: written without a sync. */
export async function appendEntries(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  entries: readonly RecordEntry[],
  syncRunId: string | null,
  now: Date,
): Promise<void> {
  if (entries.length === 0) return;
  await holdClosing(tx, organizationId, 'share');
  await tx.run(APPEND_ENTRIES, {
    organizationId,
    lineIds: entries.map(({ lineId }) => lineId),
    sequences: entries.map(({ sequence }) => sequence),
    kinds: entries.map(({ kind }) => kind),
    sourceIds: entries.map(({ sourceId }) => sourceId),
    invoiceIds: entries.map(({ invoiceId }) => invoiceId),
    positions: entries.map(({ position }) => position),
    customerIds: entries.map(({ customerId }) => customerId),
    amounts: entries.map(({ amount }) => plain(amount)),
    currencys: entries.map(({ currency }) => currency),
    periodStarts: entries.map(({ periodStart }) => periodStart),
    periodEnds: entries.map(({ periodEnd }) => periodEnd),
    records: entries.map(({ records }) => records),
    now,
    syncRunId,
  });
}

const WITHDRAW_ALL_RECORDS = statement(
  ({
    organizationId,
    now,
  }: Parameters<{
    organizationId: OrganizationId;
    now: Date;
  }>) => sql<object>`insert into revenue_record (organization_id, line_id, sequence, kind, source_id, invoice_id, position, customer_id, amount, currency,
       period_start, period_end, records, recorded_at, sync_run_id, recognized_from)
     select organization_id, line_id, sequence + 1, kind, source_id, invoice_id, position, customer_id, -summed.amount, currency,
       period_start, period_end, -1, ${now}, null,
       (select closed_until from revenue_closing closing where closing.organization_id = ${organizationId} and closed_until > period_start)
     from (select line_id, max(sequence) as sequence, sum(amount) as amount from revenue_record where organization_id = ${organizationId}
           group by line_id having sum(records) > 0) as summed
     join revenue_record as last using (line_id, sequence) where last.organization_id = ${organizationId}`,
);

/** Withdraws every live record. */
export async function withdrawAllRecords(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  now: Date,
): Promise<void> {
  await holdClosing(tx, organizationId, 'share');
  await tx.run(WITHDRAW_ALL_RECORDS, { organizationId, now });
  await queueConversion(tx, organizationId);
}
