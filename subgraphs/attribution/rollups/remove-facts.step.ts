/** Deletes facts that the ledger does not contain or that differ from it, and recomputes the affected sums. */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { byHome, type Home } from '#platform/database/nodes/organization-home.ts';
import { statement } from '#platform/database/statement.ts';
import type { ArrivingFact } from './arriving-fact.ts';
import { addToChargeDay, chargeDaySums } from './charge-day.table.ts';
import { markChangedDays } from './changed-day.table.ts';
import { isUnlike } from './cost-fact.table.ts';
import { addToEndUserDay } from './end-user-day.table.ts';
import { addToEndUserModelDay, endUserModelDaySums } from './end-user-model-day.table.ts';
import { addToEndUserMonth } from './end-user-month.table.ts';
import { daySums, endUserDaySums, endUserMonthSums, hourSums, joinKeys } from './roll-up.query.ts';
import { addToRollupDay } from './rollup-day.table.ts';
import { addToRollupHour } from './rollup-hour.table.ts';
import { rolledUpFacts } from './pending-day.table.ts';
import { rollUpAll } from './roll-up-days.step.ts';

/** The compared range of the primary key. Nulls: no upper limit, or any time. */
export interface ComparedRange {
  readonly after: { readonly eventId: EventId; readonly sequence: number };
  readonly upTo: { readonly eventId: EventId; readonly sequence: number } | null;
  readonly start: string | null;
  readonly end: string | null;
}

const remove = (home: Home) => `
  with gone as (
    delete from cost_fact kept
    where organization_id = :organizationId and (event_id, sequence) > (:afterEvent::uuid, :afterSequence::int)
      and (:lastEvent::uuid is null or (event_id, sequence) <= (:lastEvent, :lastSequence::int))
      and (:start::timestamptz is null or event_time >= :start) and (:end::timestamptz is null or event_time < :end)
      and ${isUnlike('kept', ':expected')}
    returning organization_id, event_time),
  changed as (${markChangedDays('gone', home)})
  select count(*)::int as removed, coalesce(array_agg(distinct (date_trunc('hour', event_time, 'UTC') at time zone 'UTC')::text || 'Z'), '{}') as hours from gone`;
interface RemoveInput {
  readonly organizationId: OrganizationId;
  /** JSON. */
  readonly expected: string;
  readonly afterEvent: string;
  readonly afterSequence: number;
  readonly lastEvent: string | null;
  readonly lastSequence: number | null;
  readonly start: string | null;
  readonly end: string | null;
}

const REMOVE = statement<{ removed: number; hours: string[] }, RemoveInput>(byHome(remove));

/**
 * Deletes every fact of the range that is not among `expected` or differs from it. Works on one organization, whose
 * offset the transaction holds. Returns the number of deleted facts; the caller must write the differing facts again.
 */
export async function removeUnlikeFacts(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  expected: readonly ArrivingFact[],
  { after, upTo, start, end }: ComparedRange,
): Promise<number> {
  const { removed, hours } = await tx.one(REMOVE, {
    organizationId,
    expected: JSON.stringify(expected),
    afterEvent: after.eventId,
    afterSequence: after.sequence,
    lastEvent: upTo?.eventId ?? null,
    lastSequence: upTo?.sequence ?? null,
    start,
    end,
  });
  if (removed > 0) await sumAgain(tx, organizationId, hours);
  return removed;
}

type Unit = 'hour' | 'day' | 'month';

/** Rows of the organization whose instant `at` lies in the same hour, day or month as one of the hours. */
const sharing = (unit: Unit, table: string, at: string) => `(
  select one.* from (select distinct date_trunc('${unit}', hour, 'UTC') as start from unnest(:hours::timestamptz[]) as hour) as wanted
  join ${table} as one on one.organization_id = :organizationId and one.${at} >= wanted.start and one.${at} < wanted.start + interval '1 ${unit}')`;
const bucketsOf = (unit: Unit) =>
  `(select date_trunc('${unit}', hour, 'UTC') from unnest(:hours::timestamptz[]) as hour)`;
const READY =
  "(select key, null::bigint as boundary from rolled_key where organization_id = :organizationId and state = 'ready')";

/** To be run in this order, since each sum is computed from the previous ones. */
const SUM_AGAIN = [
  // A key whose backfill is running starts over: it is unknown which of the facts it has added.
  'select 1 from rolled_key where organization_id = :organizationId order by key for update',
  `update rolled_key set state = 'clearing', boundary = null, cursor_time = null, cursor_event_id = null, cursor_sequence = null
   where organization_id = :organizationId and state = 'backfilling'`,
  `delete from rollup_hour where organization_id = :organizationId and bucket in ${bucketsOf('hour')}
   and dimension_key in (select key from ${READY} as ready)`,
  byHome((home) =>
    addToRollupHour(`(${hourSums(sharing('hour', 'cost_fact', 'event_time'), joinKeys(READY))}) as hour`, home),
  ),
  `delete from rollup_day where organization_id = :organizationId and bucket in ${bucketsOf('day')}
   and dimension_key in (select key from ${READY} as ready)`,
  byHome((home) =>
    addToRollupDay(
      `(${daySums(`(
      select hour.* from ${sharing('day', 'rollup_hour', 'bucket')} as hour
      join ${READY} as ready on ready.key = hour.dimension_key) as hour`)}) as day`,
      home,
    ),
  ),
  `delete from charge_day where organization_id = :organizationId and bucket in ${bucketsOf('day')}`,
  byHome((home) => addToChargeDay(`(${chargeDaySums(sharing('day', 'cost_fact', 'event_time'))}) as day`, home)),
  `delete from end_user_day where organization_id = :organizationId and bucket in ${bucketsOf('day')}`,
  byHome((home) =>
    addToEndUserDay(`(${endUserDaySums(`${sharing('day', 'cost_fact', 'event_time')} as fact`)}) as day`, home),
  ),
  `delete from end_user_model_day where organization_id = :organizationId and bucket in ${bucketsOf('day')}`,
  byHome((home) =>
    addToEndUserModelDay(`(${endUserModelDaySums(sharing('day', 'cost_fact', 'event_time'), home)}) as day`, home),
  ),
  `delete from end_user_month where organization_id = :organizationId and bucket in ${bucketsOf('month')}`,
  byHome((home) =>
    addToEndUserMonth(`(${endUserMonthSums(`${sharing('month', 'end_user_day', 'bucket')} as day`)}) as month`, home),
  ),
].map((text) => statement<object, { organizationId: OrganizationId; hours: readonly string[] }>(text));

/** Recomputes all sums that contain facts of these hours. Pending facts are rolled up first, or they would count twice. */
async function sumAgain(tx: WriteTransaction, organizationId: OrganizationId, hours: readonly string[]): Promise<void> {
  await rollUpAll(tx, organizationId, new Set(hours.map((hour) => hour.slice(0, 10))));
  for (const sum of SUM_AGAIN) await tx.run(sum, { organizationId, hours });
}

const SUM_DAYS = [
  'delete from charge_day where organization_id = :organizationId',
  byHome((home) => addToChargeDay(`(${chargeDaySums(rolledUpFacts(':organizationId'))}) as day`, home)),
  'delete from end_user_day where organization_id = :organizationId',
  byHome((home) =>
    addToEndUserDay(
      `(${endUserDaySums('(select * from cost_fact where organization_id = :organizationId) as fact')}) as day`,
      home,
    ),
  ),
  'delete from end_user_model_day where organization_id = :organizationId',
  byHome((home) =>
    addToEndUserModelDay(
      `(${endUserModelDaySums('(select * from cost_fact where organization_id = :organizationId)', home)}) as day`,
      home,
    ),
  ),
  'delete from end_user_month where organization_id = :organizationId',
  byHome((home) =>
    addToEndUserMonth(
      `(${endUserMonthSums('(select * from end_user_day where organization_id = :organizationId) as day')}) as month`,
      home,
    ),
  ),
].map((text) => statement<object, { organizationId: OrganizationId }>(text));

/**
 * Recomputes all charges and sums by end user from the facts of the organization, whose offset the transaction holds.
 * Charges of pending facts are added later.
 */
export async function sumDaysAgain(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  for (const sum of SUM_DAYS) await tx.run(sum, { organizationId });
}
