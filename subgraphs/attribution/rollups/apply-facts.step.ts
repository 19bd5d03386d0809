/** Brings facts in: one statement inserts those that are new and adds them to every rollup. */
import { prepared } from '../../../platform/database/guarded-client.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { queryOne } from '../../../platform/database/sql.ts';
import { VALUES_PER_DAY_MAX } from '../config.ts';
import type { ArrivingFact } from './arriving-fact.ts';
import { markChangedDays } from './changed-day.table.ts';
import { INSERT_NEW_FACTS, newFactParameters } from './cost-fact.table.ts';
import { addToEndUserDay } from './end-user-day.table.ts';
import { addToEndUserMonth } from './end-user-month.table.ts';
import { daySums, endUserDaySums, endUserMonthSums, keysThatTakeFacts } from './roll-up.query.ts';
import { hourSumsOfManyKeys } from './roll-up-many-keys.query.ts';
import { reduceFacts } from './reduce-facts.step.ts';
import { type GrownDay, grownDays, startBuiltInKeys, stopUnboundedKeys } from './rollup-key.table.ts';
import { addToRollupDay } from './rollup-day.table.ts';
import { addToRollupHour } from './rollup-hour.table.ts';

const APPLY = prepared(`
  with fact as (${INSERT_NEW_FACTS}),
  changed as (${markChangedDays('fact')}),
  hour as materialized (${hourSumsOfManyKeys('fact', keysThatTakeFacts('$1::uuid[]'))}),
  end_user_day_sum as materialized (${endUserDaySums('fact')}),
  added_hour as (${addToRollupHour('hour')}),
  added_day as (${addToRollupDay(`(${daySums('hour')}) as day`)}),
  added_end_user_day as (${addToEndUserDay('end_user_day_sum')}),
  added_end_user_month as (${addToEndUserMonth(`(${endUserMonthSums('end_user_day_sum')}) as month`)})
  select (select count(*) from fact)::int as new_facts,
    ${grownDays('added_day')} as grown`);

/**
 * Must run under the lock of the organizations' places, whose next arrival numbers `arrivals` are. Gives how many facts were new.
 * A fact that is there already (same organization, event and sequence) changes nothing, however it comes again, unless something was
 * taken out of its event since.
 */
export async function applyFacts(
  em: EntityManager,
  facts: readonly ArrivingFact[],
  arrivals: ReadonlyMap<string, string>,
  valuesPerDayMax: number = VALUES_PER_DAY_MAX,
): Promise<number> {
  if (facts.length === 0) return 0;
  await startBuiltInKeys(em, [...new Set(facts.map(({ organizationId }) => organizationId))]);
  const { newFacts, grown } = await queryOne<{ newFacts: number; grown: GrownDay[] }>(
    em,
    APPLY,
    await newFactParameters(facts, arrivals),
  );
  await stopUnboundedKeys(em, grown, valuesPerDayMax);
  await reduceFacts(
    em,
    facts.filter(({ isReduced }) => isReduced),
  );
  return newFacts;
}
