/** Adds pending facts to the charges and the rollups by key, many of a day at once. */
import type { OrganizationId } from '#kernel/ids.ts';
import { byHome, type Home } from '#platform/database/nodes/organization-home.ts';
import { statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { VALUES_PER_DAY_MAX } from '../config.ts';
import { addToChargeDay, chargeDaySums } from './charge-day.table.ts';
import { arrivedAfter, DAY_OF_FACT } from './pending-day.table.ts';
import { daySums, hourSums, keysOf } from './roll-up.query.ts';
import { addToRollupDay } from './rollup-day.table.ts';
import { addToRollupHour } from './rollup-hour.table.ts';
import { type GrownDay, grownDays, stopUnboundedKeys } from './rollup-key.table.ts';

interface PendingDay {
  readonly day: string;
  readonly arrival: string;
  readonly facts: number;
}

interface RollUpInput {
  readonly organizationId: OrganizationId;
  readonly days: readonly string[];
  /** For each day, the arrival after which its facts are pending. */
  readonly arrivals: readonly string[];
  /** The earliest of these arrivals, and the last arrival that is added. */
  readonly after: string;
  readonly last: string;
}

const rollUp = (home: Home) => `
  with chunk as materialized (
    select * from cost_fact fact
    where fact.organization_id = :organizationId and fact.arrival > :after::bigint and fact.arrival <= :last::bigint
      and ${arrivedAfter('unnest(:days::date[], :arrivals::bigint[]) as pending (day, arrival)')}),
  hour as materialized (${hourSums('chunk', keysOf(':organizationId'))}),
  added_hour as (${addToRollupHour('hour', home)}),
  added_day as (${addToRollupDay(`(${daySums('hour')}) as day`, home)}),
  added_charge_day as (${addToChargeDay(`(${chargeDaySums('chunk')}) as day`, home)})
  select (select count(*) from chunk)::int as facts, ${grownDays('added_day')} as grown`;
/** Not prepared: it is planned for the number of days and arrivals. */
const ROLL_UP = statement<{ facts: number; grown: GrownDay[] }, RollUpInput>(byHome(rollUp));

const LIST_PENDING = statement<PendingDay, { organizationId: OrganizationId }>(`
  select day::text, arrival::text, facts from pending_day where organization_id = :organizationId
  order by pending_day.arrival, pending_day.day`);

/**
 * Runs one step: rolls up about `factsMax` pending facts of an organization, whose offset the transaction must hold.
 * The days that have waited longest come first, whole days if they fit. Returns the number of facts.
 */
export async function rollUpSome(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  factsMax: number,
): Promise<number> {
  const [first, ...others] = await tx.all(LIST_PENDING, { organizationId });
  if (!first) return 0;
  if (first.facts > factsMax) return rollUpPart(tx, organizationId, first, factsMax);
  const chosen = [first];
  let left = factsMax - first.facts;
  for (const day of others) {
    if (day.facts > left) continue;
    chosen.push(day);
    left -= day.facts;
  }
  return rollUpDays(tx, organizationId, chosen);
}

/** Rolls up everything that is pending for these days. */
export async function rollUpAll(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  days: ReadonlySet<string>,
): Promise<void> {
  const pending = (await tx.all(LIST_PENDING, { organizationId })).filter(({ day }) => days.has(day));
  if (pending.length > 0) await rollUpDays(tx, organizationId, pending);
}

const READ_LAST = statement<{ last: string }, { organizationId: OrganizationId }>(
  'select coalesce(max(arrival), 0)::text as last from cost_fact where organization_id = :organizationId',
);

const DELETE_PENDING = statement<object, { organizationId: OrganizationId; days: readonly string[] }>(
  'delete from pending_day where organization_id = :organizationId and day = any(:days::date[])',
);

async function rollUpDays(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  days: readonly PendingDay[],
): Promise<number> {
  const { last } = await tx.one(READ_LAST, { organizationId });
  const facts = await addFacts(tx, organizationId, days, last);
  await tx.run(DELETE_PENDING, { organizationId, days: days.map(({ day }) => day) });
  return facts;
}

const READ_LAST_OF_PART = statement<
  { last: string | null },
  { organizationId: OrganizationId; day: string; arrival: string; factsMax: number }
>(`
  select max(arrival)::text as last from (
    select fact.arrival from cost_fact fact
    where fact.organization_id = :organizationId and fact.arrival > :arrival::bigint and ${DAY_OF_FACT} = :day::date
    order by fact.arrival limit :factsMax) as first`);

const ADVANCE_PENDING = statement<
  object,
  { organizationId: OrganizationId; day: string; last: string; facts: number }
>(`
  update pending_day set arrival = :last, facts = greatest(facts - :facts::int, 0)
  where organization_id = :organizationId and day = :day::date`);

/** For a day with more facts than one step may add: rolls up the facts that arrived first. */
async function rollUpPart(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  pending: PendingDay,
  factsMax: number,
): Promise<number> {
  const { day, arrival } = pending;
  const { last } = await tx.one(READ_LAST_OF_PART, { organizationId, day, arrival, factsMax });
  if (last === null) return rollUpDays(tx, organizationId, [pending]);
  const facts = await addFacts(tx, organizationId, [pending], last);
  await tx.run(ADVANCE_PENDING, { organizationId, day, last, facts });
  return facts;
}

async function addFacts(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  days: readonly PendingDay[],
  last: string,
): Promise<number> {
  const arrivals = days.map(({ arrival }) => arrival);
  const { facts, grown } = await tx.one(ROLL_UP, {
    organizationId,
    days: days.map(({ day }) => day),
    arrivals,
    after: earliest(arrivals),
    last,
  });
  await stopUnboundedKeys(tx, grown, VALUES_PER_DAY_MAX);
  return facts;
}

function earliest(arrivals: readonly string[]): string {
  return arrivals.reduce((least, arrival) => (BigInt(arrival) < BigInt(least) ? arrival : least));
}
