/** Recognized revenue by bucket, in one statement. */
import { sql } from 'kysely';
import type { TrendBucket } from '../../../kernel/time/trend-buckets.ts';
import type { Transaction } from '../../../platform/database/sql.ts';
import { type Parameters, run, statement } from '../../../platform/database/statement.ts';
import { recognizedSql, touchesSql } from './recognized-sql.ts';

const REVENUE_BY_BUCKET = statement(
  (
    input: Parameters<{
      organizationId: string;
      starts: readonly string[];
      ends: readonly string[];
      asOf: Date | null;
    }>,
  ) => sql<{
    revenue: string;
  }>`select coalesce(sum(${sql.raw(recognizedSql('record', 'bucket.first', 'bucket.until'))}), 0)::text as revenue
     from unnest(${input.starts}::timestamptz[], ${input.ends}::timestamptz[]) with ordinality as bucket (first, until, place)
     left join revenue_record as record on record.organization_id = ${input.organizationId} and record.currency = 'usd' and (${input.asOf}::timestamptz is null or record.recorded_at <= ${input.asOf}) and ${sql.raw(touchesSql('record', 'bucket.first', 'bucket.until'))}
     group by place order by place`,
);

/** USD as text, one for each bucket, in order; of the entries that were written up to an instant where one is given. */
export async function revenueByBucket(
  tx: Transaction,
  organizationId: string,
  buckets: readonly TrendBucket[],
  asOf: Date | null = null,
): Promise<string[]> {
  const rows = await run(tx, REVENUE_BY_BUCKET, {
    organizationId,
    starts: buckets.map(({ start }) => start.iso),
    ends: buckets.map(({ end }) => end.iso),
    asOf,
  });
  return rows.map(({ revenue }) => revenue);
}
