/**
 * Compares every rollup of an organization with its source: hours and end users' days with the facts, days with hours,
 * and months with days.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import type { DayRange } from '#kernel/time/day-range.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Statement, statement } from '#platform/database/statement.ts';
import { CHARGE_SUMS, chargeDaySums, STORED_CHARGE_KEYS } from './charge-day.table.ts';
import { MEASURE_COLUMNS } from '../measures/measure.ts';
import { pairOf } from '../measures/rollup-keys.ts';
import type { VerificationPart } from '../resolvers.generated.ts';
import { endUserModelDaySums } from './end-user-model-day.table.ts';
import { isPending, rolledUpFacts } from './pending-day.table.ts';
import { daySums, endUserDaySums, endUserMonthSums, hourSums, oneKey } from './roll-up.query.ts';

export interface VerificationCheck {
  readonly check: string;
  /** Number of rows, either in the rollup or expected. */
  readonly checked: number;
  /** Rows that differ, up to the requested number, then the number of further ones. */
  readonly differences: string[];
}

/** Selects the checks: those by day for given days, all others, or both. */
export interface ComparedPart {
  readonly part: VerificationPart;
  readonly days: DayRange;
}

const ALL_DAYS: DayRange = { from: null, until: null };

/**
 * `expected` and `kept` return the columns of `identity` and `sums`. `:key` is the key in comparisons that run for each
 * key; the days are from `:from` until `:until`.
 */
interface Comparison {
  readonly check: string;
  readonly expected: string;
  readonly kept: string;
  readonly identity: readonly string[];
  readonly sums: readonly string[];
}

interface CompareInput extends DayRange {
  readonly organizationId: OrganizationId;
  readonly key: string | null;
  readonly shown: number;
}

interface Found {
  readonly checked: number;
  readonly count: number;
  readonly differences: string[];
}

interface Compared {
  readonly check: string;
  readonly statement: Statement<CompareInput, Found>;
}

/** In a custom plan PostgreSQL removes the condition for a null parameter. */
const inDays = (column: string) =>
  `(:from::date is null or ${column} >= :from::timestamp at time zone 'UTC') and (:until::date is null or ${column} < :until::timestamp at time zone 'UTC')`;
const FACTS = `(select * from cost_fact where organization_id = :organizationId and ${inDays('event_time')})`;
/** The facts that the rollup of the key contains. */
const ROLLED_FACTS = `(
  select fact.* from ${FACTS} as fact
  where (${isPending(':organizationId')}) is not true or fact.arrival <= (select boundary from rolled_key where organization_id = :organizationId and key = :key))`;
const VALUE = { identity: ['bucket', 'dimension_value'], sums: MEASURE_COLUMNS };
const PERSON = { identity: ['bucket', 'end_user_id'], sums: ['total_cost', 'event_count'] };
const ofKey = (table: string) =>
  `(select * from ${table} where organization_id = :organizationId and dimension_key = :key and ${inDays('bucket')})`;
const ofOrganization = (table: string) =>
  `(select * from ${table} where organization_id = :organizationId and ${inDays('bucket')})`;

const OF_EACH_KEY: readonly Compared[] = [
  {
    check: 'hours of every key = facts',
    expected: `(${hourSums(ROLLED_FACTS, oneKey(':key'))})`,
    kept: ofKey('rollup_hour'),
    ...VALUE,
  },
  {
    check: 'days of every key = hours',
    expected: `(${daySums(`${ofKey('rollup_hour')} as hour`)})`,
    kept: ofKey('rollup_day'),
    ...VALUE,
  },
].map(toCompared);

const OF_FACTS: readonly Compared[] = [
  {
    check: 'charges of every day = facts',
    expected: `(${chargeDaySums(`(select * from ${rolledUpFacts(':organizationId')} as fact where ${inDays('event_time')})`)})`,
    kept: ofOrganization('charge_day'),
    identity: ['bucket', ...STORED_CHARGE_KEYS],
    sums: CHARGE_SUMS,
  },
  {
    check: "end users' days = facts",
    expected: `(${endUserDaySums(`${FACTS} as fact`)})`,
    kept: ofOrganization('end_user_day'),
    ...PERSON,
  },
  {
    check: "large end users' days by model = facts",
    expected: `(${endUserModelDaySums(FACTS, ':organizationId')})`,
    kept: ofOrganization('end_user_model_day'),
    identity: ['end_user_id', 'bucket', 'provider_slug', 'model_slug'],
    sums: MEASURE_COLUMNS,
  },
  {
    check: 'every end user of a fact is known',
    expected: `(select distinct end_user_id from ${FACTS} as fact where end_user_id is not null)`,
    kept: `(select id as end_user_id from end_user where organization_id = :organizationId
      and id in (select fact.end_user_id from ${FACTS} as fact))`,
    identity: ['end_user_id'],
    sums: [],
  },
].map(toCompared);

/** A month may contain days of several parts. */
const OF_MONTHS: readonly Compared[] = [
  {
    check: "end users' months = days",
    expected: `(${endUserMonthSums(`${ofOrganization('end_user_day')} as day`)})`,
    kept: ofOrganization('end_user_month'),
    ...PERSON,
  },
].map(toCompared);

function toCompared({ check, expected, kept, identity, sums }: Comparison): Compared {
  const row = (side: string) => {
    const columns = [...identity.map((column) => `${side}.${column}`), ...sums.map((sum) => `${side}.${sum}::numeric`)];
    return `row(${columns.join(', ')})`;
  };
  const text = `
    with pair as (
      select concat_ws(' ', ${identity.join(', ')}) as name, ${row('expected')} is distinct from ${row('kept')} as differs
      from ${expected} as expected full join ${kept} as kept using (${identity.join(', ')})
    )
    select count(*)::int as checked, count(*) filter (where differs)::int as count,
      coalesce((array_agg(name order by name) filter (where differs))[1 : :shown::int], '{}') as differences
    from pair`;
  return { check, statement: statement(text) };
}

const LIST_READY_KEYS = statement<{ key: string }, { readonly organizationId: OrganizationId }>(
  "select key from rolled_key where organization_id = :organizationId and state = 'ready' order by key",
);

/**
 * Each key must be compared within one snapshot, so each comparison is one statement. Reads all facts of the
 * organization once per key.
 */
export async function compareRollups(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { part, days }: ComparedPart,
  shown: number,
): Promise<VerificationCheck[]> {
  const byKey = part === 'REST' ? [] : OF_EACH_KEY;
  const keys = await tx.all(LIST_READY_KEYS, { organizationId });
  const checks = new Map(byKey.map(({ check }) => [check, { check, checked: 0, differences: [] as string[] }]));
  for (const comparison of byKey) {
    for (const { key } of keys) {
      const { checked, differences } = await compare(tx, comparison, { organizationId, key, ...days, shown });
      const known = checks.get(comparison.check);
      checks.set(comparison.check, {
        check: comparison.check,
        checked: (known?.checked ?? 0) + checked,
        differences: [
          ...(known?.differences ?? []),
          ...differences.map((difference) => `${nameOf(key)}: ${difference}`),
        ],
      });
    }
  }
  const once = [
    ...(part === 'REST' ? [] : OF_FACTS.map((comparison) => ({ comparison, of: days }))),
    ...(part === 'DAYS' ? [] : OF_MONTHS.map((comparison) => ({ comparison, of: ALL_DAYS }))),
  ];
  for (const { comparison, of } of once) {
    const found = await compare(tx, comparison, { organizationId, key: null, ...of, shown });
    checks.set(comparison.check, { check: comparison.check, ...found });
  }
  return [...checks.values()];
}

function nameOf(key: string): string {
  return pairOf(key)?.join(' and ') ?? (key || 'total');
}

async function compare(
  tx: WriteTransaction,
  { statement: compared }: Compared,
  input: CompareInput,
): Promise<Omit<VerificationCheck, 'check'>> {
  const { checked, count, differences } = await tx.one(compared, input);
  const more = count - differences.length;
  return { checked, differences: more > 0 ? [...differences, `and ${more} more`] : differences };
}
