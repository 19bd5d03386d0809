/** Recognized revenue by bucket. */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { TrendBucket } from '#kernel/time/trend-buckets.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { recognizedSql, touchesSql } from './recognized-sql.ts';

const REVENUE_BY_BUCKET = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      starts: readonly string[];
      ends: readonly string[];
      asOf: Date | null;
      endUser: string | null;
    }>,
  ) => sql<{
    revenue: string;
  }>`select coalesce(sum(${sql.raw(recognizedSql('record', 'bucket.first', 'bucket.until'))}), 0)::text as revenue
     from unnest(${input.starts}::timestamptz[], ${input.ends}::timestamptz[]) with ordinality as bucket (first, until, place)
     left join revenue_record as record on record.organization_id = ${input.organizationId} and record.currency = 'usd' and (${input.asOf}::timestamptz is null or record.recorded_at <= ${input.asOf}) and ${sql.raw(touchesSql('record', 'bucket.first', 'bucket.until'))}
       and (${input.endUser}::text is null or exists (select from customer where customer.organization_id = ${input.organizationId} and customer.id = record.customer_id
         and coalesce(linked_external_id, metadata_external_id) = ${input.endUser}))
     group by place order by place`,
);

/** USD as a decimal string per bucket, in order. Options: only entries written up to `asOf`, or only those of one end user. */
export async function revenueByBucket(
  tx: Transaction,
  organizationId: OrganizationId,
  buckets: readonly TrendBucket[],
  { asOf = null, endUser = null }: { readonly asOf?: Date | null; readonly endUser?: string | null } = {},
): Promise<string[]> {
  const rows = await tx.all(REVENUE_BY_BUCKET, {
    organizationId,
    starts: buckets.map(({ start }) => start.iso),
    ends: buckets.map(({ end }) => end.iso),
    asOf,
    endUser,
  });
  return rows.map(({ revenue }) => revenue);
}
