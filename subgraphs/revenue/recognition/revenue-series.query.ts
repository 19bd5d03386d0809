/** Recognized revenue by bucket. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { TrendBucket } from '#kernel/time/trend-buckets.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { recognizedFromSql, recognizedWithinSql, touchesSql } from './recognized-sql.ts';

interface SeriesInput {
  readonly organizationId: OrganizationId;
  readonly starts: readonly string[];
  readonly ends: readonly string[];
  readonly asOf: Date | null;
  readonly endUser: string | null;
}

/**
 * A bucket recognizes the difference between the totals at its end and at its start. The total at an instant contains
 * the amount of each record that has ended, and a part of each record whose period contains the instant. `started` is
 * the number of the first instant after the start of the record, `ended` that of the first instant at which the whole
 * amount is recognized.
 */
const REVENUE_BY_BUCKET = statement<{ revenue: string }, SeriesInput>(`
  with span as materialized (
    select array_agg(at order by at) as instants, min(at) as first, max(at) as last
    from (select distinct unnest(:starts::timestamptz[] || :ends::timestamptz[]) as at) as instant
  ), record as materialized (
    select amount, period_start, period_end, started,
      greatest(started, width_bucket(period_end - interval '1 microsecond', instants) + 1) as ended
    from (
      select record.*, instants, width_bucket(${recognizedFromSql('record')}, instants) + 1 as started
      from revenue_record as record cross join span
      where record.organization_id = :organizationId and record.currency = 'usd'
        and (:asOf::timestamptz is null or record.recorded_at <= :asOf)
        and ${touchesSql('record', 'span.first', 'span.last')}
        and (:endUser::text is null or exists (select from customer
          where customer.organization_id = :organizationId and customer.id = record.customer_id
            and coalesce(linked_external_id, metadata_external_id) = :endUser))
    ) as record
  ), completed as (
    select ended as ordinal, sum(amount) as amount from record group by ordinal
  ), partly as (
    select ordinal, sum(${recognizedWithinSql('record', 'instants[ordinal]')}) as amount
    from record cross join span cross join lateral generate_series(started, ended - 1) as ordinal group by ordinal
  ), total as (
    select at, coalesce(sum(completed.amount) over (order by ordinal), 0) + coalesce(partly.amount, 0) as amount
    from span cross join unnest(instants) with ordinality as instant (at, ordinal)
    left join completed using (ordinal) left join partly using (ordinal)
  )
  select (until.amount - since.amount)::text as revenue
  from unnest(:starts::timestamptz[], :ends::timestamptz[]) with ordinality as bucket (first, last, ordinal)
  join total as since on since.at = bucket.first join total as until on until.at = bucket.last
  order by bucket.ordinal`);

/** USD as a decimal string per bucket, in order. Options: only entries written up to `asOf`, or only those of one end user. */
export async function revenueByBucket(
  tx: Transaction,
  organizationId: OrganizationId,
  buckets: readonly Pick<TrendBucket, 'start' | 'end'>[],
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
