/** Recognized revenue by bucket. */
import type { OrganizationId } from '#kernel/ids.ts';
import { amount, type Amount } from '#kernel/money.ts';
import { microsOf } from '#kernel/time/instant.ts';
import type { TrendBucket } from '#kernel/time/trend-buckets.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { mapInSlices } from '#platform/slices.ts';
import { type RecognizedRecord, recognizedTotals } from './recognized-totals.ts';
import { recognizedFromSql, touchesSql } from './recognized-sql.ts';

interface RecordsInput {
  readonly organizationId: OrganizationId;
  readonly instants: readonly string[];
  readonly first: string;
  readonly last: string;
  readonly asOf: Date | null;
  readonly endUser: string | null;
  readonly afterEnd: string;
  readonly afterLine: string;
  readonly afterSequence: number;
  readonly recordsMax: number;
}

interface RecordRow {
  readonly lineId: string;
  readonly sequence: number;
  readonly amount: string;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly started: number;
  readonly completed: number;
}

/**
 * Records of which some part is recognized between the first and the last instant; the earliest end first. `started` and
 * `completed` are the numbers of instants up to the start of recognition, and before the period's end.
 */
const RECORDS = statement<RecordRow, RecordsInput>(`
  select line_id, sequence, amount::text, extract(epoch from period_start)::float8 * 1000 as start_ms,
    extract(epoch from period_end)::float8 * 1000 as end_ms,
    width_bucket(${recognizedFromSql('record')}, :instants::timestamptz[]) as started,
    width_bucket(period_end - interval '1 microsecond', :instants::timestamptz[]) as completed
  from revenue_record as record
  where record.organization_id = :organizationId and record.currency = 'usd'
    and (:asOf::timestamptz is null or record.recorded_at <= :asOf)
    and ${touchesSql('record', ':first::timestamptz', ':last::timestamptz')}
    and (:endUser::text is null or exists (select from customer
      where customer.organization_id = :organizationId and customer.id = record.customer_id
        and coalesce(linked_external_id, metadata_external_id) = :endUser))
    and (period_end, line_id, sequence) > (:afterEnd::timestamptz, :afterLine::text, :afterSequence::int)
  order by period_end, line_id, sequence limit :recordsMax`);

/** Bounds memory: a large organization has millions of records in a year. */
const RECORDS_PER_READ = 20_000;

/**
 * USD per bucket, in order: the total at its end minus the total at its start. Needs a snapshot. Options: only entries
 * written up to `asOf`, or only those of one end user.
 */
export async function revenueByBucket(
  tx: Transaction,
  organizationId: OrganizationId,
  buckets: readonly Pick<TrendBucket, 'start' | 'end'>[],
  { asOf = null, endUser = null }: { readonly asOf?: Date | null; readonly endUser?: string | null } = {},
): Promise<Amount[]> {
  const limits = buckets.flatMap(({ start, end }) => [start, end]);
  const instants = [...new Map(limits.map((instant) => [microsOf(instant), instant.iso]))].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const { add, totals } = recognizedTotals(instants.map(([micros]) => micros));
  const input = {
    organizationId,
    instants: instants.map(([, iso]) => iso),
    first: instants[0]![1],
    last: instants.at(-1)![1],
    asOf,
    endUser,
    recordsMax: RECORDS_PER_READ,
  };
  let after = { afterEnd: '-infinity', afterLine: '', afterSequence: 0 };
  for (;;) {
    const rows = await tx.all(RECORDS, { ...input, ...after });
    await mapInSlices(rows, (row) => add(toRecord(row)));
    const last = rows.at(-1);
    if (last === undefined || rows.length < RECORDS_PER_READ) break;
    after = { afterEnd: new Date(last.endMs).toISOString(), afterLine: last.lineId, afterSequence: last.sequence };
  }
  const totalAt = new Map(totals().map((total, index) => [instants[index]![0], total]));
  return buckets.map(({ start, end }) => totalAt.get(microsOf(end))! - totalAt.get(microsOf(start))!);
}

function toRecord({ amount: text, startMs, endMs, started, completed }: RecordRow): RecognizedRecord {
  return {
    amount: amount(text),
    periodStart: microsOfMs(startMs),
    periodEnd: microsOfMs(endMs),
    started,
    ended: Math.max(started, completed),
  };
}

/** The table stores milliseconds. */
function microsOfMs(milliseconds: number): bigint {
  return BigInt(Math.round(milliseconds)) * 1000n;
}
