/**
 * Determines which costs count for which allowance: costs of new ledger entries, and costs booked before the allowance
 * existed.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { ALLOWANCE_SCANNED_MAX } from '../config.ts';
import { type AllowanceKey, type AllowancePeriod, periodStart } from './allowance.table.ts';
import { type PeriodChange, startText } from './allowance-period.table.ts';

/** A ledger entry of a live event, with the data that allowances need. */
export interface BookedCost {
  readonly endUser: string | null;
  readonly agent: string | null;
  /** ISO 8601: the time at which the ledger books the entry. */
  readonly at: string;
  /** USD; negative for a correction that lowers a cost. */
  readonly amount: string;
}

const COUNTED = (subject: string, match: string) => `
    select a.id, a.period, booked.at, booked.amount from booked join allowance a
      on a.organization_id = :organizationId and a.subject = '${subject}' and a.subject_id = ${match} and booked.at >= a.counts_from`;

const COUNT_COSTS = statement<
  { allowanceId: string; periodStart: string; spent: string },
  {
    readonly organizationId: OrganizationId;
    readonly endUsers: readonly (string | null)[];
    readonly agents: readonly (string | null)[];
    readonly times: readonly string[];
    readonly amounts: readonly string[];
  }
>(`
  with booked as materialized (
    select coalesce(erasing.external_id, cost.end_user) as end_user, cost.agent, cost.at, cost.amount
    from unnest(:endUsers::text[], :agents::text[], :times::timestamptz[], :amounts::numeric[])
      as cost (end_user, agent, at, amount)
    left join end_user_erasure erasing on erasing.organization_id = :organizationId and erasing.finished_at is null
      and erasing.pseudonym = cost.end_user)
  select counted.id as allowance_id, ${startText(periodStart('counted.period', 'counted.at'))} as period_start, sum(counted.amount)::text as spent
  from (${COUNTED('organization', "''")} union all ${COUNTED('end_user', 'booked.end_user')} union all ${COUNTED('agent', 'booked.agent')}) as counted
  group by 1, 2 having sum(counted.amount) <> 0`);

/**
 * Sums the costs by allowance and period. While an end user is being erased, allowances still contain the external id.
 * They also count the events that already have the pseudonym.
 */
export function countCosts(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  costs: readonly BookedCost[],
): Promise<readonly PeriodChange[]> {
  return tx.all(COUNT_COSTS, {
    organizationId,
    endUsers: costs.map(({ endUser }) => endUser),
    agents: costs.map(({ agent }) => agent),
    times: costs.map(({ at }) => at),
    amounts: costs.map(({ amount }) => amount),
  });
}

type EarlierInput = Pick<AllowanceKey, 'subjectId'> & {
  readonly organizationId: OrganizationId;
  readonly period: AllowancePeriod;
  readonly from: string;
};

type EarlierRow = { periodStart: string; spent: string };

/** `costs` has `at` and `total_cost` of entries from `:from` on. */
const byPeriod = (costs: string) =>
  statement<EarlierRow, EarlierInput>(`
    select ${startText(periodStart(':period', 'booked.at'))} as period_start, sum(booked.total_cost)::text as spent
    from (${costs}) as booked where :subjectId::text is not null group by 1`);

/** Entries from `:from` to the end of its hour, and the counters of all later hours. */
const OF_ORGANIZATION = byPeriod(`
    select hour as at, total_cost from cost_hour
    where organization_id = :organizationId and hour >= date_trunc('hour', :from::timestamptz + interval '1 hour' - interval '1 microsecond', 'UTC')
    union all
    select event_time, total_cost from cost_entry
    where organization_id = :organizationId and livemode and booked_time is null and event_time >= :from::timestamptz
      and event_time < date_trunc('hour', :from::timestamptz + interval '1 hour' - interval '1 microsecond', 'UTC')`);

const bySubject = (column: string) =>
  byPeriod(`
    select c.event_time as at, c.total_cost
    from usage_event e join cost_entry c on c.organization_id = e.organization_id and c.event_id = e.id
    where e.organization_id = :organizationId and c.organization_id = :organizationId and e.livemode and e.${column} = :subjectId
      and e.event_time >= :from::timestamptz and c.booked_time is null
    union all
    select c.booked_time, c.total_cost
    from cost_entry c join usage_event e on e.organization_id = c.organization_id and e.id = c.event_id
    where c.organization_id = :organizationId and e.organization_id = :organizationId and c.livemode and e.${column} = :subjectId
      and c.booked_time >= :from::timestamptz`);

const EARLIER = {
  organization: OF_ORGANIZATION,
  end_user: bySubject('end_user_external_id'),
  agent: bySubject('agent_id'),
} as const;

/** Costs that the ledger books at `from` or later, by period, when the allowance is created. */
export async function sumEarlierCosts(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { id, subject, subjectId, period }: AllowanceKey & { readonly id: string },
  from: string,
): Promise<readonly PeriodChange[]> {
  const rows = await tx.all(EARLIER[subject], { organizationId, subjectId, period, from });
  return rows.map((row) => ({ allowanceId: id, ...row }));
}

const COUNT_EVENTS = {
  organization: null,
  end_user: statement<
    { events: number },
    { readonly organizationId: OrganizationId; readonly subjectId: string; readonly from: string; readonly max: number }
  >(`select count(*)::int as events from (
       select 1 from usage_event where organization_id = :organizationId and livemode and end_user_external_id = :subjectId
         and event_time >= :from::timestamptz limit :max) as found`),
  agent: statement<
    { events: number },
    { readonly organizationId: OrganizationId; readonly subjectId: string; readonly from: string; readonly max: number }
  >(`select case
       when (select sum(completed) from cost_hour where organization_id = :organizationId and hour >= :from::timestamptz) > ${ALLOWANCE_SCANNED_MAX}
       then :max::int
       else (select count(*)::int from (
         select 1 from usage_event where organization_id = :organizationId and livemode and agent_id = :subjectId
           and event_time >= :from::timestamptz limit :max::int) as found)
     end as events`),
} as const;

/**
 * Number of events that `sumEarlierCosts` would read, at most `max`. Also `max` if too many events would have to be
 * searched for an agent's events. For the whole organization, costs are read from counters.
 */
export async function countEarlierEvents(
  tx: Transaction,
  organizationId: OrganizationId,
  { subject, subjectId }: AllowanceKey,
  { from, max }: { readonly from: string; readonly max: number },
): Promise<number> {
  const count = COUNT_EVENTS[subject];
  return count === null ? 0 : (await tx.one(count, { organizationId, subjectId, from, max })).events;
}
