/** Sums of allocated costs over booked days. */
import type { OrganizationId } from '#kernel/ids.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { Days } from './days.ts';

/** USD by kind of carrier, and the model cost that fixed costs replace, as decimal strings. */
export interface CarriedSums {
  readonly allocated: string;
  readonly unassigned: string;
  readonly idle: string;
  readonly unallocated: string;
  readonly replacedCost: string;
}

export interface AllocatedLine extends CarriedSums {
  /** The external id, the key of the fixed cost, or the day. */
  readonly subject: string;
}

interface SumsInput extends Days {
  readonly organizationId: OrganizationId;
  /** Null: all fixed costs. */
  readonly fixedCostId: string | null;
  /** Replaced costs count only before this day, except for corrections of closed months; null for no limit. */
  readonly replacedUntilDay: string | null;
}

const carriedBy = (carrier: string) =>
  `trim_scale(coalesce(sum(entry.amount) filter (where entry.carrier = '${carrier}'), 0))::text`;
const REPLACED = `trim_scale(coalesce(sum(entry.replaced_cost) filter (
  where :replacedUntilDay::date is null or entry.booked_day < :replacedUntilDay::date or entry.day <> entry.booked_day), 0))::text`;
const SUMS = `${carriedBy('end_user')} as allocated, ${carriedBy('unassigned')} as unassigned, ${carriedBy('idle')} as idle,
  ${carriedBy('unallocated')} as unallocated, ${REPLACED} as replaced_cost`;
const ENTRIES = `allocation_entry entry where entry.organization_id = :organizationId
  and entry.booked_day >= :fromDay::date and entry.booked_day < :untilDay::date
  and (:fixedCostId::uuid is null or entry.fixed_cost_id = :fixedCostId)`;

const READ_SUMS = statement<CarriedSums, SumsInput>(`select ${SUMS} from ${ENTRIES}`);

export function readAllocatedSums(tx: Transaction, input: SumsInput): Promise<CarriedSums> {
  return tx.one(READ_SUMS, input);
}

export type AllocatedSubject = 'END_USER' | 'FIXED_COST' | 'DAY';

interface PageInput extends SumsInput {
  readonly limit: number;
  readonly offset: number;
}

const linesBy = (column: string, { condition = '', order = 'sum(entry.amount) desc, 1' } = {}) =>
  statement<AllocatedLine & { readonly lines: number }, PageInput>(`
  select entry.${column}::text as subject, ${SUMS}, (count(*) over ())::float8 as lines
  from ${ENTRIES} ${condition}
  group by entry.${column} having sum(entry.amount) <> 0 or sum(entry.replaced_cost) <> 0 order by ${order} limit :limit offset :offset`);

const READ_LINES: Readonly<Record<AllocatedSubject, ReturnType<typeof linesBy>>> = {
  END_USER: linesBy('external_id', { condition: "and entry.carrier = 'end_user'" }),
  FIXED_COST: linesBy('fixed_cost_id'),
  DAY: linesBy('booked_day', { order: '1' }),
};

/** A page of the lines, largest amount first or by day, and the number of all lines. */
export async function readAllocatedLines(
  tx: Transaction,
  groupBy: AllocatedSubject,
  input: PageInput,
): Promise<{ readonly lines: AllocatedLine[]; readonly count: number }> {
  const lines = await tx.all(READ_LINES[groupBy], input);
  return { lines, count: lines[0]?.lines ?? input.offset };
}

const READ_END_USER = statement<
  { amount: string },
  Days & { readonly organizationId: OrganizationId; readonly externalId: string }
>(`
  select trim_scale(coalesce(sum(amount), 0))::text as amount from allocation_entry
  where organization_id = :organizationId and external_id = :externalId and carrier = 'end_user'
    and booked_day >= :fromDay::date and booked_day < :untilDay::date`);

/** Fixed costs allocated to one end user, in USD. */
export async function readAllocatedToEndUser(
  tx: Transaction,
  organizationId: OrganizationId,
  externalId: string,
  days: Days,
): Promise<string> {
  return (await tx.one(READ_END_USER, { organizationId, externalId, ...days })).amount;
}
