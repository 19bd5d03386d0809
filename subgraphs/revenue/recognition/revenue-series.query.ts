/** Recognized revenue by bucket, in one statement. */
import type { TrendBucket } from '../../../kernel/time/trend-buckets.ts';
import { query, type Transaction } from '../../../platform/database/sql.ts';
import { recognizedSql, touchesSql } from './recognized-sql.ts';

/** USD as text, one for each bucket, in order; of the entries that were written up to an instant where one is given. */
export async function revenueByBucket(
  tx: Transaction,
  organizationId: string,
  buckets: readonly TrendBucket[],
  asOf: Date | null = null,
): Promise<string[]> {
  const rows = await query<{ revenue: string }>(
    tx,
    `select coalesce(sum(${recognizedSql('record', 'bucket.first', 'bucket.until')}), 0)::text as revenue
     from unnest($2::timestamptz[], $3::timestamptz[]) with ordinality as bucket (first, until, place)
     left join revenue_record as record on record.organization_id = $1 and record.currency = 'usd' and ($4::timestamptz is null or record.recorded_at <= $4) and ${touchesSql('record', 'bucket.first', 'bucket.until')}
     group by place order by place`,
    [organizationId, buckets.map(({ start }) => start.iso), buckets.map(({ end }) => end.iso), asOf],
  );
  return rows.map(({ revenue }) => revenue);
}
