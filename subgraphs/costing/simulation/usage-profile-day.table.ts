/**
 * The days in `usage_profile`, and the hour counters they were made from. A profile is invalid once the counters
 * differ.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { readAllInputSizes } from '../rates/input-sizes.query.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Window } from '#kernel/time/window.ts';

export const UsageProfileDayTable = defineEntity({
  name: 'UsageProfileDay',
  tableName: 'usage_profile_day',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    day: p.datetime(0).primary(),
    /** Completed events and their cost, as in the hour counters when the profile was made. */
    events: p.bigint(),
    cost: p.decimal().precision(40).scale(15),
    /** The input sizes used for grouping. */
    inputSizes: p.json<readonly number[]>(),
    /** True if the profile adds up to the counters. False if corrections of the day are booked in another month. */
    isWhole: p.boolean(),
  },
});

/** SQL for sums of the hour counters by day, to compare with a profile. */
const counted = (table: string) => `
  select organization_id, date_trunc('day', hour, 'UTC') as day, sum(completed) as events, sum(total_cost) as cost
  from ${table}`;
const COUNTED = counted('cost_hour');
const HOLDS = 'profile.events = counted.events and profile.cost = counted.cost';

const LIST_PROFILED_DAYS = statement<
  { day: string },
  {
    readonly organizationId: OrganizationId;
    readonly start: string;
    readonly end: string;
    readonly inputSizes: readonly number[];
  }
>(`select to_char(profile.day at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as day
     from (${COUNTED} where organization_id = :organizationId and hour >= :start::timestamptz and hour < :end::timestamptz group by 1, 2) as counted
     join usage_profile_day as profile using (organization_id, day)
     where profile.organization_id = :organizationId and ${HOLDS} and profile.is_whole and profile.input_sizes = to_jsonb(:inputSizes::float8[]) order by 1`);

/** Valid profile days within a window of whole days, as ISO 8601, in order. */
export async function listProfiledDays(
  tx: Transaction,
  organizationId: OrganizationId,
  days: Window,
  inputSizes: readonly number[],
): Promise<string[]> {
  const rows = await tx.all(LIST_PROFILED_DAYS, {
    organizationId,
    start: days.start.iso,
    end: days.end.iso,
    inputSizes,
  });
  return rows.map(({ day }) => day);
}

export interface OpenDay {
  readonly organizationId: OrganizationId;
  /** ISO 8601. */
  readonly day: string;
}

/** Days between two instants that have events but no valid profile for the current input sizes, latest first. */
export async function listOpenDays(database: Database, from: Date, until: Date, max: number): Promise<OpenDay[]> {
  const { standard, own } = await database.system(readAllInputSizes);
  return lookAcross<OpenDay>(database, {
    tables: ['cost_hour', 'usage_profile_day'],
    text: (hours, profiles) => `
     select counted.organization_id, to_char(counted.day at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as day
     from (${counted(hours)} where hour >= $1::timestamptz and hour < $2::timestamptz group by 1, 2 having sum(completed) > 0) as counted
     left join ${profiles} as profile using (organization_id, day)
     where (${HOLDS} and profile.input_sizes = coalesce($4::jsonb -> counted.organization_id::text, $5::jsonb)) is not true
     order by 2 desc, 1 limit $3`,
    parameters: [from.toISOString(), until.toISOString(), max, JSON.stringify(own), JSON.stringify(standard)],
    compare: (one, other) => (one.day < other.day ? 1 : -1),
    takesLong: true,
  });
}

const IS_OPEN_DAY = statement<
  object,
  { readonly organizationId: OrganizationId; readonly day: string; readonly inputSizes: readonly number[] }
>(`select 1 from (${COUNTED} where organization_id = :organizationId and hour >= :day::timestamptz and hour < :day::timestamptz + interval '24 hours' group by 1, 2) as counted
     join usage_profile_day as profile using (organization_id, day)
     where profile.organization_id = :organizationId and ${HOLDS} and profile.input_sizes = to_jsonb(:inputSizes::float8[])`);

/** True if the day has no valid profile: another process may have made one since. */
export async function isOpenDay(
  tx: WriteTransaction,
  { organizationId, day }: OpenDay,
  inputSizes: readonly number[],
): Promise<boolean> {
  const holding = await tx.all(IS_OPEN_DAY, { organizationId, day, inputSizes });
  return holding.length === 0;
}

/**
 * Keeps others from making or deleting the organization's profiles: data read before an erasure is thus not written
 * after it.
 */
export async function lockProfiles(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await lockOrganization(tx, 'usageProfiles', organizationId);
}

const DELETE_USAGE_PROFILE = statement<object, { readonly organizationId: OrganizationId }>(
  'delete from usage_profile where organization_id = :organizationId',
);

const INVALIDATE_PROFILES = statement<
  object,
  { readonly organizationId: OrganizationId; readonly eventTimes: readonly string[] | null }
>(`delete from usage_profile_day where organization_id = :organizationId
       and (:eventTimes::timestamptz[] is null or day in (select date_trunc('day', at, 'UTC') from unnest(:eventTimes::timestamptz[]) as at))`);

/** Invalidates the profiles of days. Without days, invalidates all days of the organization and deletes their rows. */
export async function invalidateProfiles(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  eventTimes: readonly string[] | null,
): Promise<void> {
  await lockProfiles(tx, organizationId);
  await tx.run(INVALIDATE_PROFILES, { organizationId, eventTimes });
  if (eventTimes === null) await tx.run(DELETE_USAGE_PROFILE, { organizationId });
}
