/** Writes facts: one statement inserts the new ones and adds them to every rollup. */
import { isDistributed } from '#platform/database/nodes/distribution.ts';
import { prepared } from '#platform/database/connections/prepared-sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { Home } from '#platform/database/nodes/organization-home.ts';
import { queryOne } from '#platform/database/sql.ts';
import { VALUES_PER_DAY_MAX } from '../config.ts';
import type { ArrivingFact } from './arriving-fact.ts';
import { addToChargeDay, chargeDaySums } from './charge-day.table.ts';
import { markChangedDays } from './changed-day.table.ts';
import { insertNewFacts, newFactParameters } from './cost-fact.table.ts';
import { addToEndUserDay } from './end-user-day.table.ts';
import { addToEndUserMonth } from './end-user-month.table.ts';
import { daySums, endUserDaySums, endUserMonthSums, keysOf, keysThatTakeFacts } from './roll-up.query.ts';
import { hourSumsOfManyKeys } from './roll-up-many-keys.query.ts';
import { reduceFacts } from './reduce-facts.step.ts';
import { type GrownDay, grownDays, startBuiltInKeys, stopUnboundedKeys } from './rollup-key.table.ts';
import { addToRollupDay } from './rollup-day.table.ts';
import { addToRollupHour } from './rollup-hour.table.ts';

const apply = (home: Home) =>
  prepared(`
  with fact as (${insertNewFacts(home !== null)}),
  changed as (${markChangedDays('fact', home)}),
  hour as materialized (${hourSumsOfManyKeys('fact', home === null ? keysThatTakeFacts('$1::uuid[]') : keysOf(home))}),
  end_user_day_sum as materialized (${endUserDaySums('fact')}),
  added_hour as (${addToRollupHour('hour', home)}),
  added_day as (${addToRollupDay(`(${daySums('hour')}) as day`, home)}),
  added_charge_day as (${addToChargeDay(`(${chargeDaySums('fact')}) as day`, home)}),
  added_end_user_day as (${addToEndUserDay('end_user_day_sum', home)}),
  added_end_user_month as (${addToEndUserMonth(`(${endUserMonthSums('end_user_day_sum')}) as month`, home)})
  select (select count(*) from fact)::int as new_facts,
    ${grownDays('added_day')} as grown`);
const APPLY = apply(null);
const APPLY_AT_HOME = apply('$1');

/**
 * Must run under the lock of the organizations' offsets; `arrivals` are their next arrival numbers. Returns the number
 * of new facts. A redelivered fact (same organization, event and sequence) changes nothing, unless data was removed
 * from its event since.
 */
export async function applyFacts(
  tx: WriteTransaction,
  facts: readonly ArrivingFact[],
  arrivals: ReadonlyMap<string, string>,
  valuesPerDayMax: number = VALUES_PER_DAY_MAX,
): Promise<number> {
  if (facts.length === 0) return 0;
  const isAtHome = isDistributed(tx);
  await startBuiltInKeys(tx, [...new Set(facts.map(({ organizationId }) => organizationId))]);
  const { newFacts, grown } = await queryOne<{ newFacts: number; grown: GrownDay[] }>(
    tx,
    isAtHome ? APPLY_AT_HOME : APPLY,
    await newFactParameters(facts, arrivals, isAtHome),
  );
  await stopUnboundedKeys(tx, grown, valuesPerDayMax);
  await reduceFacts(
    tx,
    facts.filter(({ isReduced }) => isReduced),
  );
  return newFacts;
}
