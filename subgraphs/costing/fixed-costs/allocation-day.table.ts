/** The days to which fixed costs have been allocated: the current state of each day, and what it was computed from. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import type { DayCounters } from './driver-use.query.ts';

const sumOf = () => p.decimal().precision(40).scale(15);

export const AllocationDayTable = defineEntity({
  name: 'AllocationDay',
  tableName: 'allocation_day',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    fixedCostId: p.uuid().primary(),
    day: p.date().primary(),
    /** Revision number, from 1; its entries are differences to the revision before. */
    revision: p.integer(),
    amount: p.decimal().precision(30).scale(15),
    /** The part of the amount that is carried by end users, or by events without an end user. */
    used: p.decimal().precision(30).scale(15),
    idle: p.decimal().precision(30).scale(15),
    /** Use in scope, in the driver's unit; null if the driver does not measure use. */
    driverTotal: sumOf().nullable(),
    /** Null: no capacity was stated. */
    capacity: sumOf().nullable(),
    /** Model costs of the events in scope. */
    modelCost: sumOf(),
    /** `modelCost` at the list prices of the catalogue; null if the day was allocated by an earlier version. */
    listCost: sumOf().nullable(),
    /** The part of the model costs that the fixed cost replaces. */
    replacedCost: sumOf().default('0'),
    /** Revision of the fixed cost's terms. */
    termsRevision: p.integer(),
    /** Hour counters of the day when it was allocated. */
    ledgerEvents: p.bigint(),
    ledgerCost: sumOf(),
    ledgerQuantity: p.decimal().precision(40).scale(0),
    allocatedAt: p.datetime(3),
  },
});

export interface AllocationDay {
  readonly day: string;
  readonly revision: number;
  readonly amount: string;
  readonly used: string;
  readonly idle: string;
  readonly driverTotal: string | null;
  readonly capacity: string | null;
  readonly modelCost: string;
  readonly listCost: string | null;
  readonly replacedCost: string;
}

interface DayKey {
  readonly organizationId: OrganizationId;
  readonly fixedCostId: string;
  readonly day: string;
}

export interface OpenAllocation {
  readonly fixedCostId: string;
  readonly day: string;
}

interface OpenAllocationsInput {
  readonly organizationId: OrganizationId;
  /** The first day that is not settled. */
  readonly until: string;
  /** Only days allocated before this time are compared with the counters. */
  readonly allocatedBefore: Date;
  readonly limit: number;
}

/**
 * Days before `:until` whose allocation is missing or outdated: other terms, other counters, or an earlier version.
 * Days within a period come first, then allocated days that no longer belong to one.
 */
const LIST_OPEN_ALLOCATIONS = statement<OpenAllocation, OpenAllocationsInput>(`
  with due as materialized (
    select cost.id as fixed_cost_id, cost.revision, days.day::date as day
    from fixed_cost cost
    join fixed_cost_period period on period.organization_id = cost.organization_id and period.fixed_cost_id = cost.id
    cross join lateral generate_series(period.from_day, least(period.until_day, :until::date) - 1, interval '1 day') as days (day)
    where cost.organization_id = :organizationId
  ), counted as materialized (
    select (hour at time zone 'UTC')::date as day, sum(completed) as events, sum(total_cost) as cost, sum(quantity) as quantity
    from cost_hour where organization_id = :organizationId
      and hour >= (select min(day) from due)::timestamp at time zone 'UTC' and hour < :until::timestamp at time zone 'UTC'
    group by 1
  )
  select due.fixed_cost_id, due.day::text as day
  from due
  left join counted on counted.day = due.day
  left join allocation_day allocated on allocated.organization_id = :organizationId
    and allocated.fixed_cost_id = due.fixed_cost_id and allocated.day = due.day
  where allocated.terms_revision is distinct from due.revision
    or allocated.list_cost is null
    or allocated.allocated_at <= :allocatedBefore and (
      allocated.ledger_events is distinct from coalesce(counted.events, 0)
      or allocated.ledger_cost is distinct from coalesce(counted.cost, 0)
      or allocated.ledger_quantity is distinct from coalesce(counted.quantity, 0))
  union all
  select allocated.fixed_cost_id, allocated.day::text
  from allocation_day allocated
  where allocated.organization_id = :organizationId and allocated.amount <> 0
    and not exists (select 1 from fixed_cost_period period where period.organization_id = :organizationId
      and period.fixed_cost_id = allocated.fixed_cost_id and period.from_day <= allocated.day
      and (period.until_day is null or allocated.day < period.until_day))
  order by 2, 1 limit :limit`);

export function listOpenAllocations(tx: Transaction, input: OpenAllocationsInput): Promise<OpenAllocation[]> {
  return tx.all(LIST_OPEN_ALLOCATIONS, input);
}

const FIND_REVISION = statement<{ revision: number }, DayKey>(`
  select revision from allocation_day
  where organization_id = :organizationId and fixed_cost_id = :fixedCostId and day = :day::date`);

/** 0 if the day has not been allocated. */
export async function findRevision(tx: Transaction, key: DayKey): Promise<number> {
  return (await tx.first(FIND_REVISION, key))?.revision ?? 0;
}

type SavedDay = DayKey &
  AllocationDay & {
    readonly termsRevision: number;
    readonly ledgerEvents: DayCounters['events'];
    readonly ledgerCost: DayCounters['cost'];
    readonly ledgerQuantity: DayCounters['quantity'];
    readonly allocatedAt: Date;
  };

const SAVE_ALLOCATION_DAY = statement<object, SavedDay>(`
  insert into allocation_day (organization_id, fixed_cost_id, day, revision, amount, used, idle, driver_total, capacity, model_cost, list_cost,
    replaced_cost, terms_revision, ledger_events, ledger_cost, ledger_quantity, allocated_at)
  values (:organizationId, :fixedCostId, :day, :revision, :amount, :used, :idle, :driverTotal, :capacity, :modelCost, :listCost,
    :replacedCost, :termsRevision, :ledgerEvents, :ledgerCost, :ledgerQuantity, :allocatedAt)
  on conflict (organization_id, fixed_cost_id, day) do update set revision = excluded.revision, amount = excluded.amount,
    used = excluded.used, idle = excluded.idle, driver_total = excluded.driver_total, capacity = excluded.capacity,
    model_cost = excluded.model_cost, list_cost = excluded.list_cost, replaced_cost = excluded.replaced_cost, terms_revision = excluded.terms_revision, ledger_events = excluded.ledger_events,
    ledger_cost = excluded.ledger_cost, ledger_quantity = excluded.ledger_quantity, allocated_at = excluded.allocated_at`);

export async function saveAllocationDay(tx: WriteTransaction, day: SavedDay): Promise<void> {
  await tx.run(SAVE_ALLOCATION_DAY, day);
}

const LIST_ALLOCATION_DAYS = statement<
  AllocationDay,
  {
    readonly organizationId: OrganizationId;
    readonly fixedCostId: string;
    readonly fromDay: string;
    readonly untilDay: string;
  }
>(`
  select day::text, revision, amount::text, used::text, idle::text, driver_total::text, capacity::text, model_cost::text, list_cost::text, replaced_cost::text
  from allocation_day where organization_id = :organizationId and fixed_cost_id = :fixedCostId
    and day >= :fromDay::date and day < :untilDay::date order by day`);

export function listAllocationDays(
  tx: Transaction,
  organizationId: OrganizationId,
  fixedCostId: string,
  days: { readonly fromDay: string; readonly untilDay: string },
): Promise<AllocationDay[]> {
  return tx.all(LIST_ALLOCATION_DAYS, { organizationId, fixedCostId, ...days });
}

const FIND_ALLOCATED_UNTIL = statement<
  { until: string | null },
  { readonly organizationId: OrganizationId; readonly fixedCostId: string }
>(`
  select (max(day) + 1)::text as until from allocation_day
  where organization_id = :organizationId and fixed_cost_id = :fixedCostId`);

/** The day after the last allocated day; null before the first. */
export async function findAllocatedUntil(
  tx: Transaction,
  organizationId: OrganizationId,
  fixedCostId: string,
): Promise<string | null> {
  return (await tx.one(FIND_ALLOCATED_UNTIL, { organizationId, fixedCostId })).until;
}
