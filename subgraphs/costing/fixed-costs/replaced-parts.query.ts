/**
 * Model costs that fixed costs replace on days that a window contains only in part. Read from the ledger, since
 * allocations only have sums of whole days.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { type Amount, amount } from '#kernel/money.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { DayPart } from './days.ts';
import { IN_SCOPE, type ScopeParameters, scopeParameters } from './driver-use.query.ts';
import type { Scope } from './fixed-cost.ts';

/** Fixed costs that are allocated to the day: a margin subtracts only those. */
const LIST_REPLACING = statement<{ scope: Scope }, { readonly organizationId: OrganizationId; readonly day: string }>(`
  select scope from fixed_cost
  where organization_id = :organizationId and replaces_model_cost and exists (
    select 1 from allocation_day allocated
    where allocated.organization_id = fixed_cost.organization_id and allocated.fixed_cost_id = fixed_cost.id
      and allocated.day = :day::date and (allocated.amount <> 0 or allocated.replaced_cost <> 0))
  order by key`);

interface PartInput extends ScopeParameters {
  readonly organizationId: OrganizationId;
  readonly from: string;
  readonly until: string;
}

const READ_PART = statement<{ externalId: string; cost: string }, PartInput>(`
  select coalesce(event.end_user_external_id, '') as external_id, coalesce(sum(entry.total_cost), 0)::text as cost
  from cost_entry entry
  join usage_event event on event.organization_id = entry.organization_id and event.id = entry.event_id
  where entry.organization_id = :organizationId and entry.livemode and (
      entry.booked_time is null and entry.event_time >= :from::timestamptz and entry.event_time < :until::timestamptz
      or entry.booked_time >= :from::timestamptz and entry.booked_time < :until::timestamptz)
    and ${IN_SCOPE}
  group by 1`);

/** By external id, which is empty for events without an end user. Scopes of one day have no calls in common. */
export async function readReplacedParts(
  tx: Transaction,
  organizationId: OrganizationId,
  parts: readonly DayPart[],
): Promise<Map<string, Amount>> {
  const replaced = new Map<string, Amount>();
  for (const { day, from, until } of parts)
    for (const { scope } of await tx.all(LIST_REPLACING, { organizationId, day }))
      for (const { externalId, cost } of await tx.all(READ_PART, {
        organizationId,
        from,
        until,
        ...scopeParameters(scope),
      }))
        replaced.set(externalId, (replaced.get(externalId) ?? 0n) + amount(cost));
  return replaced;
}
