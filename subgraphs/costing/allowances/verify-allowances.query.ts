/**
 * Verifies allowances: spent amounts equal the ledger, and held amounts equal the open holds. Periods that ended
 * before the previous month are not checked, since no decision reads them.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import type { VerificationCheck } from '../credits/verify-credits.query.ts';
import { periodStart, type AllowanceKey } from './allowance.table.ts';

const DIFFERENCES_MAX = 20;
const OF = (table: string) => `(:organizationId::uuid is null or ${table}.organization_id = :organizationId)`;
const SINCE = "date_trunc('month', now() - interval '1 month', 'UTC')";

/** An allowance whose end user is being erased is left out: its events have two names until the erasure ends. */
const CHECKED = `checked as materialized (
    select a.*, greatest(a.counts_from, case a.period when 'prepaid' then a.counts_from else ${SINCE} end) as since
    from allowance a where ${OF('a')} and not exists (
      select 1 from end_user_erasure x where x.organization_id = a.organization_id and ${OF('x')} and x.finished_at is null
        and a.subject = 'end_user' and a.subject_id in (x.external_id, x.pseudonym)))`;

const COSTS = (subject: AllowanceKey['subject'], match: string) => `
    select a.organization_id, a.id, ${periodStart('a.period', 'e.at')} as period_start, sum(e.total_cost) as spent
    from checked a join entry e on e.organization_id = a.organization_id and a.subject = '${subject}' and ${match} and e.at >= a.since
    group by 1, 2, 3`;

const VERIFY_SPENT = statement<Omit<VerificationCheck, 'check'>, { readonly organizationId: OrganizationId | null }>(`
  with ${CHECKED}, first as (
    select organization_id, min(since) as since from checked group by 1
  ), entry as materialized (
    select c.organization_id, coalesce(c.booked_time, c.event_time) as at, c.total_cost, e.end_user_external_id, e.agent_id
    from first join cost_entry c on c.organization_id = first.organization_id and ${OF('c')} and c.livemode
        and (c.event_time >= first.since or c.booked_time >= first.since)
      join usage_event e on e.organization_id = c.organization_id and e.id = c.event_id and ${OF('e')}
  ), ledger as (
    ${COSTS('organization', 'true')} union all ${COSTS('end_user', 'a.subject_id = e.end_user_external_id')} union all ${COSTS('agent', 'a.subject_id = e.agent_id')}
  ), booked as (
    select p.* from allowance_period p join checked a on a.organization_id = p.organization_id and a.id = p.allowance_id
    where ${OF('p')} and (a.period = 'prepaid' or p.period_start >= ${SINCE})
  ), compared as (
    select coalesce(b.organization_id, l.organization_id) as organization_id, coalesce(b.allowance_id, l.id) as allowance_id,
      coalesce(b.period_start, l.period_start) as period_start, coalesce(b.spent, 0) as booked, coalesce(l.spent, 0) as actual
    from booked b full join ledger l on l.organization_id = b.organization_id and l.id = b.allowance_id and l.period_start = b.period_start
  ), wrong as (
    select format('%s allowance %s from %s: %s spent, %s in the ledger', organization_id, allowance_id, period_start, booked, actual) as text
    from compared where booked <> actual limit ${DIFFERENCES_MAX}
  )
  select (select count(*) from compared)::float8 as checked, array(select text from wrong) as differences`);

const VERIFY_HELD = statement<Omit<VerificationCheck, 'check'>, { readonly organizationId: OrganizationId | null }>(`
  with opened as (
    select h.organization_id, part.allowance_id, part.period_start, sum(h.amount) as held, count(*) as holds
    from hold h cross join lateral unnest(h.allowance_ids, h.period_starts) as part (allowance_id, period_start)
    where ${OF('h')} and h.state = 'open' group by 1, 2, 3
  ), compared as (
    select p.organization_id, p.allowance_id, p.period_start, p.held, p.open_holds, coalesce(o.held, 0) as actual, coalesce(o.holds, 0) as holds
    from allowance_period p
    left join opened o on o.organization_id = p.organization_id and o.allowance_id = p.allowance_id and o.period_start = p.period_start
    where ${OF('p')}
  ), wrong as (
    select format('%s allowance %s from %s: %s held by %s holds, %s in %s open holds',
      organization_id, allowance_id, period_start, held, open_holds, actual, holds) as text
    from compared where held <> actual or open_holds <> holds limit ${DIFFERENCES_MAX}
  )
  select (select count(*) from compared)::float8 as checked, array(select text from wrong) as differences`);

/** For one organization, or all that the transaction can see. Each check is one statement and sees one snapshot. */
export async function verifyAllowances(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
): Promise<VerificationCheck[]> {
  return [
    { check: 'allowances = ledger, spent amounts', ...(await tx.one(VERIFY_SPENT, { organizationId })) },
    { check: 'allowances = open holds, held amounts', ...(await tx.one(VERIFY_HELD, { organizationId })) },
  ];
}
