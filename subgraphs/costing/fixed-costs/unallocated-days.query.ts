/** Days on which a fixed cost is paid, but to which it has not been allocated yet. */
import type { OrganizationId } from '#kernel/ids.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { UnallocatedDays } from '#schema/allocated-cost-lines.ts';
import type { Days } from './days.ts';

const FIND_UNALLOCATED_DAYS = statement<
  { readonly firstDay: string | null; readonly days: number },
  Days & { readonly organizationId: OrganizationId }
>(`
  select min(days.day)::date::text as first_day, count(distinct days.day)::int as days
  from fixed_cost_period period
  cross join lateral generate_series(greatest(period.from_day, :fromDay::date), least(period.until_day, :untilDay::date) - 1,
    interval '1 day') as days (day)
  where period.organization_id = :organizationId
    and not exists (select 1 from allocation_day allocated where allocated.organization_id = :organizationId
      and allocated.fixed_cost_id = period.fixed_cost_id and allocated.day = days.day::date)`);

/** Null if all days are allocated. */
export async function findUnallocatedDays(
  tx: Transaction,
  organizationId: OrganizationId,
  range: Days,
): Promise<UnallocatedDays | null> {
  const { firstDay, days } = await tx.one(FIND_UNALLOCATED_DAYS, { organizationId, ...range });
  return firstDay === null ? null : { firstDay, days };
}
