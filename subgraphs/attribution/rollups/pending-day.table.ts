/**
 * Days with facts that the charges and the rollups by key do not contain yet. A fact is pending if its day has a row
 * here and the fact arrived after the row's `arrival`. For a key that was registered late, only facts after its boundary
 * are pending: the backfill adds the earlier ones.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { type Home, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import { lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { type Transaction, WriteTransaction } from '#platform/database/transaction.ts';

export const PendingDayTable = defineEntity({
  name: 'PendingDay',
  tableName: 'pending_day',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    day: p.date().primary(),
    /** The rollups contain the day's facts up to this arrival. */
    arrival: p.bigint(),
    /** Number of later facts; an estimate after facts were removed. */
    facts: p.integer(),
    /** Time of the last change. */
    changedAt: p.datetime(3),
  },
});

/** SQL for the UTC day of a fact. */
export const DAY_OF_FACT = "(fact.event_time at time zone 'UTC')::date";

/**
 * Adds the new facts in `facts` to the pending days: those on days that are already pending, and all facts of the
 * organizations in the array `deferred`. Returns their days.
 */
export function addToPendingDays(facts: string, deferred: string, home: Home): string {
  const days = `(
    select * from (
      select organization_id, ${DAY_OF_FACT} as day, min(arrival) - 1 as arrival, count(*)::int as facts
      from ${facts} as fact group by 1, 2) as arrived
    where organization_id = any(${deferred}::uuid[]) or exists (
      select 1 from pending_day pending
      where pending.organization_id = ${home ?? 'arrived.organization_id'} and pending.day = arrived.day)) as deferred`;
  return `
    insert into pending_day as kept (organization_id, day, arrival, facts, changed_at)
    ${selectAtHome(home, 'day, arrival, facts, now()', days)} order by 1, 2
    on conflict (organization_id, day) do update set facts = kept.facts + excluded.facts, changed_at = excluded.changed_at
    returning organization_id, day`;
}

/** Greater than every arrival. */
const NEVER = '9223372036854775807';

/**
 * SQL condition: true if `days` contains the day of `fact`, and the fact arrived after that day's `arrival`; otherwise
 * false or null. `days` is SQL for rows with `day` and `arrival` that does not depend on the fact. The days, and the
 * day after each of them, become the bounds of a binary search: the planner has no statistics on so few rows, and a
 * join would compare each fact with all of them.
 */
export function arrivedAfter(days: string): string {
  const bounds = (column: 'day' | 'arrival') => `(
      select array_agg(${column} order by day) from (
        select day, min(arrival) as arrival from (
          select day, arrival from ${days} union all select day + 1, ${NEVER} from ${days}) as either group by day) as bound)`;
  return `fact.arrival > ${bounds('arrival')}[width_bucket(${DAY_OF_FACT}, ${bounds('day')})]`;
}

/**
 * SQL condition: true if `fact` is pending, false or null if it is not. `organization` is a parameter: the organization's
 * id.
 */
export function isPending(organization: string): string {
  return arrivedAfter(`(select day, arrival from pending_day where organization_id = ${organization}) as pending`);
}

/** SQL for the facts of an organization that are not pending. */
export function rolledUpFacts(organization: string): string {
  return `(select fact.* from cost_fact fact where fact.organization_id = ${organization} and (${isPending(organization)}) is not true)`;
}

/** The key for charges, which have no boundary. */
export const NO_KEY = 'null';

/**
 * SQL for the facts `fact` of an organization that are pending for a key, between two instants. All parameters are SQL.
 * The scan starts at the first pending arrival, and is skipped if no day is pending. The upper limit excludes nothing:
 * with two limits the planner expects few rows and uses the index on arrivals unless the window is shorter.
 */
export function pendingFacts(organization: string, key: string, from: string, until: string): string {
  const inWindow = `organization_id = ${organization}
      and day >= (${from}::timestamptz at time zone 'UTC')::date and day <= (${until}::timestamptz at time zone 'UTC')::date`;
  return `
    from cost_fact fact
    where fact.organization_id = ${organization}
      and fact.event_time >= ${from}::timestamptz and fact.event_time < ${until}::timestamptz
      and (select count(*) > 0 from pending_day where ${inWindow})
      and fact.arrival > (select greatest(min(arrival), (select boundary from rolled_key where organization_id = ${organization} and key = ${key}))
        from pending_day where ${inWindow})
      and fact.arrival <= (select arrival from feed_place where organization_id = ${organization})
      and ${isPending(organization)}`;
}

const HAS_PENDING = statement<{ hasPending: boolean }, { readonly organizationId: OrganizationId }>(
  'select exists (select 1 from pending_day where organization_id = :organizationId) as has_pending',
);

/** Cached by transaction, since its snapshot does not change. */
const knownPending = new WeakMap<Transaction, Map<string, Promise<boolean>>>();

/** False if the transaction's snapshot has no pending facts of its organization. A writing transaction has no snapshot. */
export function mayHavePending(tx: Transaction, organizationId: OrganizationId): Promise<boolean> {
  if (tx instanceof WriteTransaction) return Promise.resolve(true);
  const known = knownPending.get(tx) ?? new Map<string, Promise<boolean>>();
  knownPending.set(tx, known);
  const found = known.get(organizationId) ?? tx.one(HAS_PENDING, { organizationId }).then((row) => row.hasPending);
  known.set(organizationId, found);
  return found;
}

/** Several candidates are read, because other followers may hold the first ones. */
const CANDIDATES = 5;

/**
 * The organizations with the most pending facts, in this order, among those that have at least `factsMax`, or have
 * received none for `quietSeconds`.
 */
export async function findPending(
  database: Database,
  { factsMax, quietSeconds }: { readonly factsMax: number; readonly quietSeconds: number },
): Promise<string[]> {
  const found = await lookAcross<{ readonly organizationId: OrganizationId; readonly facts: number }>(database, {
    tables: ['pending_day'],
    text: (table) => `
      select organization_id, sum(facts)::float8 as facts from ${table} group by 1
      having sum(facts) >= $1 or max(changed_at) <= now() - $2 * interval '1 second' order by 2 desc limit ${CANDIDATES}`,
    parameters: [factsMax, quietSeconds],
    compare: (one, other) => other.facts - one.facts,
  });
  return found.map(({ organizationId }) => organizationId);
}
