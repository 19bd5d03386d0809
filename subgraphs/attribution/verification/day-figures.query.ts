/** Facts and rollups of whole days, read in one statement and so from one snapshot. */
import type { DayFigures, LedgerDay } from '#schema/ledger-days.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { daysParameters, ofDays, organizationOfDay, statementsOf } from '#platform/database/nodes/organization-rows.ts';
import { query } from '#platform/database/sql.ts';

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

/** Ordered by organization and day. */
export async function readOwnDays(tx: WriteTransaction, days: readonly LedgerDay[]): Promise<OwnDay[]> {
  const own: OwnDay[] = [];
  for (const some of statementsOf(tx, days)) own.push(...(await readDays(tx, some)));
  return own;
}

function readDays(tx: WriteTransaction, days: readonly LedgerDay[]): Promise<OwnDay[]> {
  const organization = organizationOfDay(tx);
  const sums = COSTS.map((name) => `trim_scale(coalesce(sum(f.${name}), 0))::text as ${name}`).join(', ');
  return query<OwnDay>(
    tx,
    `
    select d.organization_id, d.day::text, s.*, u.*, c.*,
      (select place.number::float8 from feed_place place where place.organization_id = ${organization} and place.replay is null) as place,
      array(
      select k.key from rolled_key k left join lateral (
        select sum(r.event_count) as events, sum(r.total_cost) as cost, sum(r.input_tokens) as input, sum(r.output_tokens) as output
        from rollup_day r
        where r.organization_id = ${organization} and r.dimension_key = k.key and r.bucket = d.day::timestamp ${IN_DAY}) r on true
      where k.organization_id = ${organization} and k.state = 'ready'
        and (coalesce(r.events, 0), coalesce(r.cost, 0), coalesce(r.input, 0), coalesce(r.output, 0))
          is distinct from (s.event_count::numeric, s.total_cost::numeric, s.input_tokens::numeric, s.output_tokens::numeric)
      order by 1) as wrong_keys
    from ${ofDays(tx)}
    cross join lateral (
      select count(*)::float8 as entries, count(*) filter (where f.sequence = 0)::float8 as event_count, ${sums},
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
      from charge_day c where c.organization_id = ${organization} and c.bucket = d.day::timestamp ${IN_DAY}) c
    order by 1, 2`,
    daysParameters(tx, days),
  );
}

/** Days that have facts, after one day and up to another. The ledger may not contain them. */
export function listOwnDays(
  tx: WriteTransaction,
  organizationId: string | null,
  after: LedgerDay | null,
  through: LedgerDay | null,
): Promise<LedgerDay[]> {
  return query<LedgerDay>(
    tx,
    `
    select distinct organization_id, (event_time at time zone 'UTC')::date::text as day from cost_fact
    where ($1::uuid is null or organization_id = $1)
      and (organization_id, event_time) >= (coalesce($2::uuid, $1, '00000000-0000-0000-0000-000000000000'),
        coalesce(($3::date + 1)::timestamp ${IN_DAY}, '-infinity'))
      and (organization_id, event_time) < (coalesce($4::uuid, $1, 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
        coalesce(($5::date + 1)::timestamp ${IN_DAY}, 'infinity'))
    order by 1, 2`,
    [
      organizationId,
      after?.organizationId ?? null,
      after?.day ?? null,
      through?.organizationId ?? null,
      through?.day ?? null,
    ],
  );
}
