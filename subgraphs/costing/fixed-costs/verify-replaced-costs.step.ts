/**
 * Rereads from the ledger the model costs that fixed costs replace, and compares them with the booked ones, also at
 * list prices.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { amount, plain } from '#kernel/money.ts';
import type { DayRange } from '#kernel/time/day-range.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import type { VerificationCheck } from '../credits/verify-credits.query.ts';
import { readUse, type UseOfDay } from './driver-use.query.ts';
import type { FixedCost } from './fixed-cost.ts';
import { listFixedCostRows } from './fixed-cost.table.ts';

/** Maximum number of differences shown. */
const DIFFERENCES_MAX = 20;

/** Days read at once. */
const DAYS_PER_READ = 31;

const LIST_ORGANIZATIONS = statement<
  { organizationId: OrganizationId },
  { readonly organizationId: OrganizationId | null }
>(`
  select distinct organization_id from fixed_cost
  where replaces_model_cost and (:organizationId::uuid is null or organization_id = :organizationId) order by 1`);

interface BookedDay {
  readonly day: string;
  readonly events: number;
  readonly cost: string;
  readonly quantity: string;
  readonly endUsers: string;
  readonly unassigned: string;
  /** Null if an earlier version allocated the day. */
  readonly listCost: string | null;
}

/** Days that were computed with the present terms. */
const LIST_BOOKED_DAYS = statement<
  BookedDay,
  DayRange & { readonly organizationId: OrganizationId; readonly fixedCostId: string; readonly revision: number }
>(`
  select allocated.day::text, allocated.ledger_events::float8 as events, trim_scale(allocated.ledger_cost)::text as cost,
    allocated.ledger_quantity::text as quantity,
    coalesce(sum(entry.replaced_cost) filter (where entry.carrier = 'end_user'), 0)::text as end_users,
    coalesce(sum(entry.replaced_cost) filter (where entry.carrier = 'unassigned'), 0)::text as unassigned,
    allocated.list_cost::text as list_cost
  from allocation_day allocated
  left join allocation_entry entry on entry.organization_id = allocated.organization_id
    and entry.fixed_cost_id = allocated.fixed_cost_id and entry.day = allocated.day
  where allocated.organization_id = :organizationId and allocated.fixed_cost_id = :fixedCostId
    and allocated.terms_revision = :revision and allocated.amount <> 0
    and (:from::date is null or allocated.day >= :from::date) and (:until::date is null or allocated.day < :until::date)
  group by allocated.day, allocated.ledger_events, allocated.ledger_cost, allocated.ledger_quantity, allocated.list_cost order by 1`);

/**
 * Verifies one organization, or all that the transaction can see. Skips days whose ledger has changed since they were
 * allocated. Compares only sums, not the parts of end users, since an erasure may be renaming one.
 */
export async function verifyReplacedCosts(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
  days: DayRange,
): Promise<VerificationCheck> {
  let checked = 0;
  const differences: string[] = [];
  for (const { organizationId: id } of await tx.all(LIST_ORGANIZATIONS, { organizationId }))
    for (const fixedCost of await listFixedCostRows(tx, id)) {
      if (!fixedCost.replacesModelCost) continue;
      const { id: fixedCostId, revision } = fixedCost;
      const booked = await tx.all(LIST_BOOKED_DAYS, { organizationId: id, fixedCostId, revision, ...days });
      for (const { use, day } of await readUses(tx, id, fixedCost, booked)) {
        checked += 1;
        const list = use.uses.reduce((total, { listCost }) => total + amount(listCost), 0n);
        if (day.listCost !== null && amount(day.listCost) !== list)
          differences.push(
            `${id} ${fixedCost.key} ${day.day}: the ledger has ${plain(list)} at list prices, but ${plain(amount(day.listCost))} is stored`,
          );
        const [endUsers, unassigned] = [costOf(use, (name) => name !== ''), costOf(use, (name) => name === '')];
        if (endUsers === amount(day.endUsers) && unassigned === amount(day.unassigned)) continue;
        const total = amount(day.endUsers) + amount(day.unassigned);
        differences.push(
          `${id} ${fixedCost.key} ${day.day}: the ledger has ${plain(endUsers + unassigned)} in replaced costs, but ${plain(total)} is booked`,
        );
      }
    }
  return {
    check: 'model costs that fixed costs replace = model costs in the ledger',
    checked,
    differences: differences.slice(0, DIFFERENCES_MAX),
  };
}

/** The booked days whose counters match the ledger's, with the use according to the ledger. */
async function readUses(
  tx: Transaction,
  organizationId: OrganizationId,
  fixedCost: FixedCost,
  booked: readonly BookedDay[],
): Promise<{ readonly day: BookedDay; readonly use: UseOfDay }[]> {
  const byDay = new Map(booked.map((day) => [day.day, day]));
  const found: { readonly day: BookedDay; readonly use: UseOfDay }[] = [];
  const [first, last] = [booked[0]?.day ?? '', booked.at(-1)?.day ?? ''];
  for (let fromDay = first; fromDay !== '' && fromDay <= last; fromDay = addDays(fromDay, DAYS_PER_READ)) {
    const untilDay = addDays(fromDay, DAYS_PER_READ);
    for (const use of await readUse(tx, organizationId, fixedCost, { fromDay, untilDay })) {
      const day = byDay.get(use.day);
      const { events, cost, quantity } = use.counters;
      if (day !== undefined && day.events === events && amount(day.cost) === amount(cost) && day.quantity === quantity)
        found.push({ day, use });
    }
  }
  return found;
}

function costOf({ uses }: UseOfDay, isIncluded: (externalId: string) => boolean): bigint {
  return uses.filter(({ externalId }) => isIncluded(externalId)).reduce((total, { cost }) => total + amount(cost), 0n);
}
