/** Recognized revenue of adjoining spans, in one statement. */
import { query, type Transaction } from '../../../platform/database/sql.ts';
import { recognizedSql, touchesSql } from './recognized-sql.ts';

/** USD as text, one for each span, in order. */
export async function revenueOfSpans(
  tx: Transaction,
  organizationId: string,
  spans: readonly { start: string; end: string }[],
): Promise<string[]> {
  const rows = await query<{ revenue: string }>(
    tx,
    `select coalesce(sum(${recognizedSql('record', 'span.first', 'span.until')}), 0)::text as revenue
     from unnest($2::timestamptz[], $3::timestamptz[]) with ordinality as span (first, until, place)
     left join revenue_record as record on record.organization_id = $1 and record.currency = 'usd' and ${touchesSql('record', 'span.first', 'span.until')}
     group by place order by place`,
    [organizationId, spans.map(({ start }) => start), spans.map(({ end }) => end)],
  );
  return rows.map(({ revenue }) => revenue);
}
