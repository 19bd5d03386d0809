/** Reads allowances with the held, spent and remaining amounts of their current period. */
import type { OrganizationId } from '#kernel/ids.ts';
import { isoMicros, isoMillis } from '#platform/database/iso-sql.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { ALLOWED_AMOUNT, type AllowanceKey, type AllowancePolicy, periodStart } from './allowance.table.ts';
import { startText } from './allowance-period.table.ts';

export interface AllowanceRow extends AllowanceKey {
  readonly id: string;
  readonly policy: AllowancePolicy;
  readonly amount: string;
  readonly held: string;
  readonly spent: string;
  readonly remaining: string;
  readonly usedPercent: number | null;
  readonly openHolds: number;
  readonly periodStart: string;
  readonly periodEnd: string | null;
  readonly countsFrom: string;
  readonly changedAt: string;
}

interface BalanceInput {
  readonly organizationId: OrganizationId;
  readonly id: string | null;
  readonly subject: AllowanceKey['subject'] | null;
  readonly subjectId: string | null;
  readonly usedPercent: number | null;
  readonly after: string | null;
  readonly limit: number;
}

/** Expired holds count as released, although the job has not closed them. */
const BALANCES = statement<AllowanceRow, BalanceInput>(`
  with expired as materialized (
    select part.allowance_id, part.period_start, sum(h.amount) as amount, count(*)::int as holds
    from hold h cross join lateral unnest(h.allowance_ids, h.period_starts) as part (allowance_id, period_start)
    where h.organization_id = :organizationId and h.state = 'open' and h.expires_at <= now() group by 1, 2
  ), limited as (
    select a.*, ${ALLOWED_AMOUNT} as allowed, ${periodStart('a.period', 'now()')} as starts
    from allowance a
    where a.organization_id = :organizationId and (:id::uuid is null or a.id = :id) and (:after::uuid is null or a.id > :after)
      and (:subject::text is null or a.subject = :subject) and (:subjectId::text is null or a.subject_id = :subjectId)
  ), balance as (
    select l.id, l.subject, l.subject_id, l.period, l.policy, l.allowed, l.starts, l.counts_from, l.changed_at,
      coalesce(p.held, 0) - coalesce(e.amount, 0) as held, coalesce(p.spent, 0) as spent,
      coalesce(p.open_holds, 0) - coalesce(e.holds, 0) as open_holds
    from limited l
    left join allowance_period p on p.organization_id = :organizationId and p.allowance_id = l.id and p.period_start = l.starts
    left join expired e on e.allowance_id = l.id and e.period_start = l.starts
  )
  select id, subject, subject_id, period, policy, trim_scale(allowed)::text as amount, trim_scale(held)::text as held,
    trim_scale(spent)::text as spent, trim_scale(allowed - held - spent)::text as remaining, open_holds,
    case when allowed > 0 then least(trunc(spent * 100 / allowed), 1e9)::float8 end as used_percent,
    ${startText('starts')} as period_start,
    ${startText("case period when 'day' then starts + interval '24 hours' when 'month' then (starts at time zone 'UTC' + interval '1 month') at time zone 'UTC' end")} as period_end,
    ${isoMicros('counts_from')} as counts_from, ${isoMillis('changed_at')} as changed_at
  from balance
  where :usedPercent::int is null or (case when allowed > 0 then spent * 100 >= allowed * :usedPercent else spent > 0 end)
  order by id limit :limit`);

/** Allowances by id, oldest first. */
export function allowancePage(tx: Transaction, input: Omit<BalanceInput, 'id'>): Promise<AllowanceRow[]> {
  return tx.all(BALANCES, { ...input, id: null });
}

export function findAllowance(
  tx: Transaction,
  organizationId: OrganizationId,
  id: string,
): Promise<AllowanceRow | null> {
  const all = { subject: null, subjectId: null, usedPercent: null, after: null, limit: 1 };
  return tx.first(BALANCES, { ...all, organizationId, id });
}
