/**
 * Writes facts. One statement inserts the new ones and adds them to the sums of end users. They are also added to the
 * charges and the rollups by key, unless they are spread over so many hours that adding them later, with other facts of
 * the same day, is cheaper.
 */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { byHome, type Home } from '#platform/database/nodes/organization-home.ts';
import { statement } from '#platform/database/statement.ts';
import { HOURS_AT_ONCE_MAX, VALUES_PER_DAY_MAX } from '../config.ts';
import type { ArrivingFact } from './arriving-fact.ts';
import { addToChargeDay, chargeDaySums } from './charge-day.table.ts';
import { markChangedDays } from './changed-day.table.ts';
import { insertNewFacts, type NewFacts, newFacts } from './cost-fact.table.ts';
import { addToEndUserDay } from './end-user-day.table.ts';
import { addToEndUserModelDay, endUserModelDaySums } from './end-user-model-day.table.ts';
import { addToEndUserMonth } from './end-user-month.table.ts';
import { addLargeEndUsers } from './large-end-user.table.ts';
import { addToPendingDays, DAY_OF_FACT } from './pending-day.table.ts';
import { daySums, endUserDaySums, endUserMonthSums, hourSums, keysOf, keysThatTakeFacts } from './roll-up.query.ts';
import { reduceFacts } from './reduce-facts.step.ts';
import { type GrownDay, grownDays, startBuiltInKeys, stopUnboundedKeys } from './rollup-key.table.ts';
import { addToRollupDay } from './rollup-day.table.ts';
import { addToRollupHour } from './rollup-hour.table.ts';

const apply = (home: Home, keys: string) => `
  with fact as (${insertNewFacts(home)}),
  changed as (${markChangedDays('fact', home)}),
  pending as (${addToPendingDays('fact', ':deferred', home)}),
  immediate as (
    select fact.* from fact
    where (fact.organization_id, ${DAY_OF_FACT}) not in (select organization_id, day from pending)),
  hour as materialized (${hourSums('immediate', keys)}),
  end_user_day_sum as materialized (${endUserDaySums('fact')}),
  added_hour as (${addToRollupHour('hour', home)}),
  added_day as (${addToRollupDay(`(${daySums('hour')}) as day`, home)}),
  added_charge_day as (${addToChargeDay(`(${chargeDaySums('immediate')}) as day`, home)}),
  added_end_user_day as (${addToEndUserDay('end_user_day_sum', home)}),
  added_end_user_month as (
    ${addToEndUserMonth(`(${endUserMonthSums('end_user_day_sum')}) as month`, home)} returning organization_id, end_user_id, event_count),
  added_end_user_model_day as (${addToEndUserModelDay(`(${endUserModelDaySums('fact', home)}) as day`, home)}),
  added_large_end_user as (${addLargeEndUsers('added_end_user_month', home)})
  select (select count(*) from fact)::int as new_facts,
    ${grownDays('added_day')} as grown`;
type Applied = { newFacts: number; grown: GrownDay[] };
type ApplyInput = NewFacts & { readonly deferred: readonly string[] };
const ofAny = byHome((home) =>
  apply(home, home === null ? keysThatTakeFacts(':organizationIds::uuid[]') : keysOf(home)),
);
const APPLY = statement<Applied, ApplyInput>(ofAny, { isPrepared: true });
/**
 * Not prepared: it is planned for its number of facts. A prepared plan expects ten, and sorts the thousands of rows
 * that hashing would sum faster.
 */
const APPLY_MANY = statement<Applied, ApplyInput>(ofAny);
const APPLY_MANY_OF_ONE = statement<Applied, ApplyInput>(byHome((home) => apply(home, keysOf(':organizationId'))));
const MANY_FACTS = 100;

/** The statement for a number of facts and of the organizations that they belong to. */
function statementFor(facts: number, organizations: number) {
  if (facts < MANY_FACTS) return APPLY;
  return organizations === 1 ? APPLY_MANY_OF_ONE : APPLY_MANY;
}

export interface ApplyOptions {
  readonly valuesPerDayMax?: number;
  /**
   * False if the transaction writes facts of the same arrival with several calls: a day becomes pending with all facts
   * of an arrival or with none.
   */
  readonly mayDefer?: boolean;
}

/**
 * Must run under the lock of the organizations' offsets; `arrivals` are their next arrival numbers. Returns the number
 * of new facts. A redelivered fact (same organization, event and sequence) changes nothing, unless data was removed
 * from its event since.
 */
export async function applyFacts(
  tx: WriteTransaction,
  facts: readonly ArrivingFact[],
  arrivals: ReadonlyMap<string, string>,
  { valuesPerDayMax = VALUES_PER_DAY_MAX, mayDefer = true }: ApplyOptions = {},
): Promise<number> {
  if (facts.length === 0) return 0;
  const organizations = [...new Set(facts.map(({ organizationId }) => organizationId))];
  await startBuiltInKeys(tx, organizations);
  const { newFacts: count, grown } = await tx.one(statementFor(facts.length, organizations.length), {
    ...(await newFacts(facts, arrivals)),
    deferred: mayDefer ? deferredOrganizations(facts) : [],
  });
  await stopUnboundedKeys(tx, grown, valuesPerDayMax);
  await reduceFacts(
    tx,
    facts.filter(({ isReduced }) => isReduced),
  );
  return count;
}

/** Organizations whose facts are in more than `HOURS_AT_ONCE_MAX` hours: each hour has a row for every key and value. */
function deferredOrganizations(facts: readonly ArrivingFact[]): string[] {
  const hoursOf = new Map<string, Set<string>>();
  for (const { organizationId, eventTime } of facts) {
    const hours = hoursOf.get(organizationId) ?? new Set();
    hoursOf.set(organizationId, hours.add(eventTime.slice(0, HOUR_LENGTH)));
  }
  return [...hoursOf].flatMap(([organizationId, hours]) => (hours.size > HOURS_AT_ONCE_MAX ? [organizationId] : []));
}

/** Length of a time in ISO 8601 up to its hour. */
const HOUR_LENGTH = '2026-03-10T10'.length;
