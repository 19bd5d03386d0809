/** Writes facts: one statement inserts the new ones and adds them to every rollup. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { byHome, type Home } from '#platform/database/nodes/organization-home.ts';
import { statement } from '#platform/database/statement.ts';
import { VALUES_PER_DAY_MAX } from '../config.ts';
import type { ArrivingFact } from './arriving-fact.ts';
import { addToChargeDay, chargeDaySums } from './charge-day.table.ts';
import { markChangedDays } from './changed-day.table.ts';
import { insertNewFacts, type NewFacts, newFacts } from './cost-fact.table.ts';
import { addToEndUserDay } from './end-user-day.table.ts';
import { addToEndUserMonth } from './end-user-month.table.ts';
import { daySums, endUserDaySums, endUserMonthSums, keysOf, keysThatTakeFacts } from './roll-up.query.ts';
import { hourSumsOfManyKeys } from './roll-up-many-keys.query.ts';
import { reduceFacts } from './reduce-facts.step.ts';
import { type GrownDay, grownDays, startBuiltInKeys, stopUnboundedKeys } from './rollup-key.table.ts';
import { addToRollupDay } from './rollup-day.table.ts';
import { addToRollupHour } from './rollup-hour.table.ts';

const apply = (home: Home) => `
  with fact as (${insertNewFacts(home)}),
  changed as (${markChangedDays('fact', home)}),
  hour as materialized (${hourSumsOfManyKeys('fact', home === null ? keysThatTakeFacts(':organizationIds::uuid[]') : keysOf(home))}),
  end_user_day_sum as materialized (${endUserDaySums('fact')}),
  added_hour as (${addToRollupHour('hour', home)}),
  added_day as (${addToRollupDay(`(${daySums('hour')}) as day`, home)}),
  added_charge_day as (${addToChargeDay(`(${chargeDaySums('fact')}) as day`, home)}),
  added_end_user_day as (${addToEndUserDay('end_user_day_sum', home)}),
  added_end_user_month as (${addToEndUserMonth(`(${endUserMonthSums('end_user_day_sum')}) as month`, home)})
  select (select count(*) from fact)::int as new_facts,
    ${grownDays('added_day')} as grown`;
const APPLY = statement<{ newFacts: number; grown: GrownDay[] }, NewFacts>(byHome(apply), { isPrepared: true });

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
  await startBuiltInKeys(tx, [...new Set(facts.map(({ organizationId }) => organizationId))]);
  const { newFacts: count, grown } = await tx.one(APPLY, await newFacts(facts, arrivals));
  await stopUnboundedKeys(tx, grown, valuesPerDayMax);
  await reduceFacts(
    tx,
    facts.filter(({ isReduced }) => isReduced),
  );
  return count;
}
