/** Facts and rollups of whole days, read in one statement and so from one snapshot. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { DayFigures, LedgerDay } from '#schema/ledger-days.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { byDays, type DaysInput, daysInput, statementsOf } from '#platform/database/nodes/organization-rows.ts';
import { statement } from '#platform/database/statement.ts';
import { chargeRows } from '../rollups/charge-day.table.ts';

export interface OwnDay extends LedgerDay, DayFigures {
  /**
   * The last batch of the organization's feed that was written completely. Null before the first, and while facts are
   * compared with the ledger.
   */
  readonly place: number | null;
  /** Keys whose groups do not add up to the facts. */
  readonly wrongKeys: readonly string[];
  /** Totals of the sums by end user. */
  readonly endUserEvents: number;
  readonly endUserCost: string;
  /** Sum of the charges. */
  readonly chargedCost: string;
}

const COSTS = ['total', 'input', 'output', 'cache_creation', 'cache_read', 'reasoning'].map((name) => `${name}_cost`);
const IN_DAY = `at time zone 'UTC'`;

const SUMS = COSTS.map((name) => `trim_scale(coalesce(sum(f.${name}), 0))::text as ${name}`).join(', ');

/** SQL for the facts `fact` of the day `d.day` that are pending. */
const pendingOfDay = (organization: string) => `
          from pending_day pending join cost_fact fact on fact.organization_id = ${organization} and fact.arrival > pending.arrival
            and fact.event_time >= d.day::timestamp ${IN_DAY} and fact.event_time < (d.day + 1)::timestamp ${IN_DAY}
          where pending.organization_id = ${organization} and pending.day = d.day`;

const READ_OWN_DAYS = statement<OwnDay, DaysInput>(
  byDays(
    ({ days, organization }) => `
    select d.organization_id, d.day::text, s.*, u.*, c.*,
      (select place.number::float8 from feed_place place where place.organization_id = ${organization} and place.replay is null) as place,
      array(
      select k.key from rolled_key k left join lateral (
        select sum(r.event_count) as events, sum(r.total_cost) as cost, sum(r.input_tokens) as input, sum(r.output_tokens) as output
        from (
          select event_count, total_cost, input_tokens, output_tokens from rollup_day r
          where r.organization_id = ${organization} and r.dimension_key = k.key and r.bucket = d.day::timestamp ${IN_DAY}
          union all
          select (fact.sequence = 0)::int, fact.total_cost, fact.input_tokens, fact.output_tokens
          ${pendingOfDay(organization)} and fact.arrival > coalesce(k.boundary, 0)) r) r on true
      where k.organization_id = ${organization} and k.state = 'ready'
        and (coalesce(r.events, 0), coalesce(r.cost, 0), coalesce(r.input, 0), coalesce(r.output, 0))
          is distinct from (s.event_count::numeric, s.total_cost::numeric, s.input_tokens::numeric, s.output_tokens::numeric)
      order by 1) as wrong_keys
    from ${days}
    cross join lateral (
      select count(*)::float8 as entries, count(*) filter (where f.sequence = 0)::float8 as event_count, ${SUMS},
        trim_scale(coalesce(sum(f.input_tokens), 0))::text as input_tokens, trim_scale(coalesce(sum(f.output_tokens), 0))::text as output_tokens,
        count(distinct f.end_user_id) filter (where f.sequence = 0)::float8 as end_users
      from cost_fact f
      where f.organization_id = ${organization}
        and f.event_time >= d.day::timestamp ${IN_DAY} and f.event_time < (d.day + 1)::timestamp ${IN_DAY}) s
    cross join lateral (
      select coalesce(sum(u.event_count), 0)::float8 as end_user_events, trim_scale(coalesce(sum(u.total_cost), 0))::text as end_user_cost
      from end_user_day u where u.organization_id = ${organization} and u.bucket = d.day::timestamp ${IN_DAY}) u
    cross join lateral (
      select trim_scale(coalesce(sum(c.amount), 0))::text as charged_cost
      from (
        select amount from charge_day c where c.organization_id = ${organization} and c.bucket = d.day::timestamp ${IN_DAY}
        union all
        select amount from (${chargeRows(`(select fact.* ${pendingOfDay(organization)})`)}) as pending) c) c
    order by 1, 2`,
  ),
);

/** Figures of the days from facts, ordered by organization and day. */
export async function readOwnDays(tx: WriteTransaction, days: readonly LedgerDay[]): Promise<OwnDay[]> {
  const own: OwnDay[] = [];
  for (const some of statementsOf(tx, days)) own.push(...(await tx.all(READ_OWN_DAYS, daysInput(some))));
  return own;
}

interface OwnDaysBounds {
  readonly organizationId: OrganizationId | null;
  readonly afterOrganization: string | null;
  readonly afterDay: string | null;
  readonly throughOrganization: string | null;
  readonly throughDay: string | null;
}

const LIST_OWN_DAYS = statement<LedgerDay, OwnDaysBounds>(`
  select distinct organization_id, (event_time at time zone 'UTC')::date::text as day from cost_fact
  where (:organizationId::uuid is null or organization_id = :organizationId)
    and (organization_id, event_time) >= (coalesce(:afterOrganization::uuid, :organizationId, '00000000-0000-0000-0000-000000000000'),
      coalesce((:afterDay::date + 1)::timestamp ${IN_DAY}, '-infinity'))
    and (organization_id, event_time) < (coalesce(:throughOrganization::uuid, :organizationId, 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
      coalesce((:throughDay::date + 1)::timestamp ${IN_DAY}, 'infinity'))
  order by 1, 2`);

/** Days that have facts, after one day and up to another. The ledger may not contain them. */
export function listOwnDays(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
  after: LedgerDay | null,
  through: LedgerDay | null,
): Promise<LedgerDay[]> {
  return tx.all(LIST_OWN_DAYS, {
    organizationId,
    afterOrganization: after?.organizationId ?? null,
    afterDay: after?.day ?? null,
    throughOrganization: through?.organizationId ?? null,
    throughDay: through?.day ?? null,
  });
}
