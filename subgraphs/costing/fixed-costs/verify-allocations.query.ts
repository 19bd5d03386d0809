/**
 * Verifies that fixed costs are allocated in full: the entries of every allocated day add up to its amount and replaced
 * cost.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import type { DayRange } from '#kernel/time/day-range.ts';
import { statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { VerificationCheck } from '../credits/verify-credits.query.ts';

/** Maximum number of differences shown. */
const DIFFERENCES_MAX = 20;

const OF = (table: string) => `(:organizationId::uuid is null or ${table}.organization_id = :organizationId)
  and (:from::date is null or ${table}.day >= :from::date) and (:until::date is null or ${table}.day < :until::date)`;
const carriedBy = (carriers: string) => `coalesce(sum(amount) filter (where carrier in (${carriers})), 0)`;

const VERIFY = statement<
  Omit<VerificationCheck, 'check'>,
  DayRange & { readonly organizationId: OrganizationId | null }
>(`
  with compared as (
    select coalesce(d.organization_id, e.organization_id) as organization_id, coalesce(d.fixed_cost_id, e.fixed_cost_id) as fixed_cost_id,
      coalesce(d.day, e.day) as day, d.amount, e.total, d.idle, e.idle as carried_idle,
      d.replaced_cost, e.replaced_cost as booked_replaced_cost,
      coalesce(d.amount, 0) = coalesce(e.total, 0) and coalesce(d.used, 0) = coalesce(e.used, 0)
        and coalesce(d.idle, 0) = coalesce(e.idle, 0) and coalesce(d.replaced_cost, 0) = coalesce(e.replaced_cost, 0)
        and coalesce(e.revision, 0) <= coalesce(d.revision, 0) as is_right
    from (select * from allocation_day where ${OF('allocation_day')}) d
    full join (
      select organization_id, fixed_cost_id, day, sum(amount) as total, ${carriedBy("'end_user', 'unassigned'")} as used,
        ${carriedBy("'idle'")} as idle, sum(replaced_cost) as replaced_cost, max(revision) as revision
      from allocation_entry where ${OF('allocation_entry')} group by 1, 2, 3) e
      on e.organization_id = d.organization_id and e.fixed_cost_id = d.fixed_cost_id and e.day = d.day
  ), wrong as (
    select format('%s %s %s: %s to allocate, %s allocated; %s idle, %s booked as idle; %s replaced, %s booked as replaced', organization_id, fixed_cost_id, day,
      coalesce(amount, 0), coalesce(total, 0), coalesce(idle, 0), coalesce(carried_idle, 0), coalesce(replaced_cost, 0),
      coalesce(booked_replaced_cost, 0)) as text
    from compared where not is_right order by 1 limit ${DIFFERENCES_MAX}
  )
  select (select count(*) from compared)::float8 as checked, array(select text from wrong) as differences`);

/** Verifies one organization, or all that the transaction can see. */
export async function verifyAllocations(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
  { from, until }: DayRange,
): Promise<VerificationCheck> {
  return {
    check: 'fixed costs = amounts that customers carry, idle and unallocated amounts',
    ...(await tx.one(VERIFY, { organizationId, from, until })),
  };
}
