/** Deletes facts that the ledger does not contain or that differ from it, and recomputes the affected sums. */
import { isDistributed } from '#platform/database/nodes/distribution.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { Home } from '#platform/database/nodes/organization-home.ts';
import { query, queryOne } from '#platform/database/sql.ts';
import type { ArrivingFact } from './arriving-fact.ts';
import { addToChargeDay, chargeDaySums } from './charge-day.table.ts';
import { markChangedDays } from './changed-day.table.ts';
import { isUnlike } from './cost-fact.table.ts';
import { addToEndUserDay } from './end-user-day.table.ts';
import { addToEndUserMonth } from './end-user-month.table.ts';
import { daySums, endUserDaySums, endUserMonthSums, hourSums } from './roll-up.query.ts';
import { addToRollupDay } from './rollup-day.table.ts';
import { addToRollupHour } from './rollup-hour.table.ts';

/** The compared range of the primary key. Nulls: no upper limit, or any time. */
export interface ComparedRange {
  readonly after: { readonly eventId: string; readonly sequence: number };
  readonly upTo: { readonly eventId: string; readonly sequence: number } | null;
  readonly start: string | null;
  readonly end: string | null;
}

const remove = (home: Home) => `
  with gone as (
    delete from cost_fact kept
    where organization_id = $1 and (event_id, sequence) > ($3::uuid, $4::int)
      and ($5::uuid is null or (event_id, sequence) <= ($5, $6::int))
      and ($7::timestamptz is null or event_time >= $7) and ($8::timestamptz is null or event_time < $8)
      and ${isUnlike('kept', '$2')}
    returning organization_id, event_time),
  changed as (${markChangedDays('gone', home)})
  select count(*)::int as removed, coalesce(array_agg(distinct date_trunc('hour', event_time, 'UTC')::text), '{}') as hours from gone`;
const REMOVE = remove(null);
const REMOVE_AT_HOME = remove('$1');

/**
 * Deletes every fact of the range that is not among `expected` or differs from it. For one organization, whose offset
 * the transaction holds. Returns the number of deleted facts; the caller must write those that differ again.
 */
export async function removeUnlikeFacts(
  tx: WriteTransaction,
  organizationId: string,
  expected: readonly ArrivingFact[],
  { after, upTo, start, end }: ComparedRange,
): Promise<number> {
  const { removed, hours } = await queryOne<{ removed: number; hours: string[] }>(
    tx,
    isDistributed(tx) ? REMOVE_AT_HOME : REMOVE,
    [
      organizationId,
      JSON.stringify(expected),
      after.eventId,
      after.sequence,
      upTo?.eventId ?? null,
      upTo?.sequence ?? null,
      start,
      end,
    ],
  );
  if (removed > 0) await sumAgain(tx, organizationId, hours);
  return removed;
}

type Unit = 'hour' | 'day' | 'month';

/** Rows of the organization whose instant `at` lies in the same hour, day or month as one of the hours. */
const sharing = (unit: Unit, table: string, at: string) => `(
  select one.* from (select distinct date_trunc('${unit}', hour, 'UTC') as start from unnest($2::timestamptz[]) as hour) as wanted
  join ${table} as one on one.organization_id = $1 and one.${at} >= wanted.start and one.${at} < wanted.start + interval '1 ${unit}')`;
const bucketsOf = (unit: Unit) => `(select date_trunc('${unit}', hour, 'UTC') from unnest($2::timestamptz[]) as hour)`;
const READY = "(select organization_id, key from rolled_key where organization_id = $1 and state = 'ready')";

/** In this order: each sum is computed from the previous ones. */
const sumAgainAt = (home: Home) => [
  // A key whose backfill is running starts over: it is unknown which of the facts it has added.
  'select 1 from rolled_key where organization_id = $1 and $2::timestamptz[] is not null order by key for update',
  `update rolled_key set state = 'clearing', boundary = null, cursor_time = null, cursor_event_id = null, cursor_sequence = null
   where organization_id = $1 and state = 'backfilling' and $2::timestamptz[] is not null`,
  `delete from rollup_hour where organization_id = $1 and bucket in ${bucketsOf('hour')}
   and dimension_key in (select key from ${READY} as ready)`,
  addToRollupHour(`(${hourSums(sharing('hour', 'cost_fact', 'event_time'), READY)}) as hour`, home),
  `delete from rollup_day where organization_id = $1 and bucket in ${bucketsOf('day')}
   and dimension_key in (select key from ${READY} as ready)`,
  addToRollupDay(
    `(${daySums(`(
      select hour.* from ${sharing('day', 'rollup_hour', 'bucket')} as hour
      join ${READY} as ready on ready.key = hour.dimension_key) as hour`)}) as day`,
    home,
  ),
  `delete from charge_day where organization_id = $1 and bucket in ${bucketsOf('day')}`,
  addToChargeDay(`(${chargeDaySums(sharing('day', 'cost_fact', 'event_time'))}) as day`, home),
  `delete from end_user_day where organization_id = $1 and bucket in ${bucketsOf('day')}`,
  addToEndUserDay(`(${endUserDaySums(`${sharing('day', 'cost_fact', 'event_time')} as fact`)}) as day`, home),
  `delete from end_user_month where organization_id = $1 and bucket in ${bucketsOf('month')}`,
  addToEndUserMonth(`(${endUserMonthSums(`${sharing('month', 'end_user_day', 'bucket')} as day`)}) as month`, home),
];
const SUM_AGAIN = sumAgainAt(null);
const SUM_AGAIN_AT_HOME = sumAgainAt('$1');

/** Recomputes all sums that contain facts of these hours. */
async function sumAgain(tx: WriteTransaction, organizationId: string, hours: readonly string[]): Promise<void> {
  for (const statement of isDistributed(tx) ? SUM_AGAIN_AT_HOME : SUM_AGAIN)
    await query(tx, statement, [organizationId, hours]);
}

const sumDays = (home: Home) => [
  'delete from charge_day where organization_id = $1',
  addToChargeDay(`(${chargeDaySums('(select * from cost_fact where organization_id = $1)')}) as day`, home),
  'delete from end_user_day where organization_id = $1',
  addToEndUserDay(`(${endUserDaySums('(select * from cost_fact where organization_id = $1) as fact')}) as day`, home),
  'delete from end_user_month where organization_id = $1',
  addToEndUserMonth(
    `(${endUserMonthSums('(select * from end_user_day where organization_id = $1) as day')}) as month`,
    home,
  ),
];
const SUM_DAYS = sumDays(null);
const SUM_DAYS_AT_HOME = sumDays('$1');

/** Recomputes all charges and sums by end user from all facts of the organization, whose offset the transaction holds. */
export async function sumDaysAgain(tx: WriteTransaction, organizationId: string): Promise<void> {
  for (const statement of isDistributed(tx) ? SUM_DAYS_AT_HOME : SUM_DAYS) await query(tx, statement, [organizationId]);
}
