/**
 * Revenue records, append-only (decision 9, D41). Entry 0 of a line brings its record into being, later ones are differences; the
 * sums over a line's entries are what it is now.
 */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { money, plain } from '../../../kernel/money.ts';
import { holdClosing } from './revenue-closing.table.ts';
import type { RecordEntry, RecordFacts, RecordState } from './correct-record.ts';

export const RevenueRecordTable = defineEntity({
  name: 'RevenueRecord',
  tableName: 'revenue_record',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** The processor's line id; of a refund, a dispute or a credit without a line: its id, a slash, the invoice line's id. */
    lineId: p.text().primary(),
    sequence: p.integer().primary(),
    kind: p.enum(['invoice_line', 'credit_note', 'refund', 'dispute']),
    /** The invoice, credit note, refund or dispute. */
    sourceId: p.text(),
    invoiceId: p.text(),
    /** Order of the lines on their invoice. */
    position: p.integer(),
    customerId: p.text().nullable(),
    /** In whole units of the currency, after discounts, without tax. */
    amount: p.decimal().precision(30).scale(15),
    /** ISO 4217, lower case. Only `usd` is recognized. */
    currency: p.text(),
    periodStart: p.datetime(3),
    /** Exclusive. The same as the start: recognized at that instant. */
    periodEnd: p.datetime(3),
    /** Nothing is recognized before, where earlier months were closed when it was written: all of them is recognized at once then. */
    recognizedFrom: p.datetime(3).nullable(),
    /** 1 where a record comes into being, -1 where it is taken back, 0 where its amount changes. */
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
  ],
  checks: [
    { name: 'revenue_record_period', expression: 'period_start <= period_end' },
    { name: 'revenue_record_records', expression: 'records >= -1 and records <= 1' },
  ],
});

export type RevenueRecord = InferEntity<typeof RevenueRecordTable>;

/** Which lines: by id, or all that belong to these invoices. */
export type LineChoice = { readonly lineIds: readonly string[] } | { readonly invoiceIds: readonly string[] };

/** The lines as their entries add up, by line id. */
export async function recordStates(
  em: EntityManager,
  organizationId: string,
  choice: LineChoice,
): Promise<Map<string, RecordState>> {
  const [column, values] = 'lineIds' in choice ? ['line_id', choice.lineIds] : ['invoice_id', choice.invoiceIds];
  const rows = await query<StateRow>(
    em,
    `with summed as (
       select line_id, max(sequence) as last_sequence, sum(amount) as amount, sum(records) > 0 as lives
       from revenue_record where organization_id = $1 and line_id in (select line_id from revenue_record where organization_id = $1 and ${column} = any($2))
       group by line_id)
     select line_id, last_sequence, summed.amount::text, lives, kind, source_id, invoice_id, position, customer_id, currency,
            extract(epoch from period_start)::float8 as period_start, extract(epoch from period_end)::float8 as period_end
     from summed join revenue_record as last using (line_id)
     where last.organization_id = $1 and last.sequence = summed.last_sequence`,
    [organizationId, values],
  );
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

/** Lines of an invoice that live, without loading what they say. */
export async function liveLineIds(em: EntityManager, organizationId: string, invoiceId: string): Promise<string[]> {
  const rows = await query<{ lineId: string }>(
    em,
    `select line_id from revenue_record where organization_id = $1 and invoice_id = $2 and kind = 'invoice_line'
     group by line_id having sum(records) > 0 order by line_id`,
    [organizationId, invoiceId],
  );
  return rows.map(({ lineId }) => lineId);
}

export async function appendEntries(
  em: EntityManager,
  organizationId: string,
  entries: readonly RecordEntry[],
  syncRunId: string | null,
  now: Date,
): Promise<void> {
  if (entries.length === 0) return;
  await holdClosing(em, organizationId, 'share');
  await query(
    em,
    `insert into revenue_record (organization_id, line_id, sequence, kind, source_id, invoice_id, position, customer_id, amount, currency,
       period_start, period_end, records, recorded_at, sync_run_id, recognized_from)
     select $1, given.line_id, given.sequence, given.kind, given.source_id, given.invoice_id, given.position, given.customer_id, given.amount,
       given.currency, to_timestamp(given.period_start), to_timestamp(given.period_end), given.records, $14, $15,
       (select closed_until from revenue_closing where organization_id = $1 and closed_until > to_timestamp(given.period_start))
     from unnest($2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::int[], $8::text[], $9::numeric[], $10::text[],
       $11::bigint[], $12::bigint[], $13::smallint[])
       as given (line_id, sequence, kind, source_id, invoice_id, position, customer_id, amount, currency, period_start, period_end, records)`,
    [
      organizationId,
      entries.map(({ lineId }) => lineId),
      entries.map(({ sequence }) => sequence),
      entries.map(({ kind }) => kind),
      entries.map(({ sourceId }) => sourceId),
      entries.map(({ invoiceId }) => invoiceId),
      entries.map(({ position }) => position),
      entries.map(({ customerId }) => customerId),
      entries.map(({ amount }) => plain(amount)),
      entries.map(({ currency }) => currency),
      entries.map(({ periodStart }) => periodStart),
      entries.map(({ periodEnd }) => periodEnd),
      entries.map(({ records }) => records),
      now,
      syncRunId,
    ],
  );
}

/** Takes back every record that lives, in one statement. */
export async function withdrawAllRecords(em: EntityManager, organizationId: string, now: Date): Promise<void> {
  await holdClosing(em, organizationId, 'share');
  await query(
    em,
    `insert into revenue_record (organization_id, line_id, sequence, kind, source_id, invoice_id, position, customer_id, amount, currency,
       period_start, period_end, records, recorded_at, sync_run_id, recognized_from)
     select organization_id, line_id, sequence + 1, kind, source_id, invoice_id, position, customer_id, -summed.amount, currency,
       period_start, period_end, -1, $2, null,
       (select closed_until from revenue_closing closing where closing.organization_id = $1 and closed_until > period_start)
     from (select line_id, max(sequence) as sequence, sum(amount) as amount from revenue_record where organization_id = $1
           group by line_id having sum(records) > 0) as summed
     join revenue_record as last using (line_id, sequence) where last.organization_id = $1`,
    [organizationId, now],
  );
}
