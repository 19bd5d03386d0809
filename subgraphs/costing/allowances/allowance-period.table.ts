/**
 * The held and spent amounts of allowances, one row per period. Decisions, pricing and releases all change this row,
 * and lock several of them in the order of their key.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { statement } from '#platform/database/statement.ts';
import {
  formOf,
  inEachForm,
  organizationParameter,
  organizationRows,
} from '#platform/database/nodes/organization-rows.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Money, money, plain, ZERO } from '#kernel/money.ts';
import { periodStart } from './allowance.table.ts';

export const AllowancePeriodTable = defineEntity({
  name: 'AllowancePeriod',
  tableName: 'allowance_period',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    allowanceId: p.uuid().primary(),
    /** First instant, in UTC; 1970 for prepaid. */
    periodStart: p.datetime(0).primary(),
    /** USD of the allowance's open holds in the period. */
    held: p.decimal().precision(40).scale(15),
    /** Number of the allowance's open holds in the period. */
    openHolds: p.integer(),
    /** USD that the ledger books in the period for the subject. */
    spent: p.decimal().precision(40).scale(15),
  },
  indexes: [
    {
      name: 'allowance_period_start_index',
      expression: 'create index allowance_period_start_index on allowance_period (period_start)',
    },
  ],
});

/** SQL that prints the start of a period; periods are compared by this text. */
export const startText = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** A change of a period: the amount that a closed hold released, or a sum of booked costs. */
export interface PeriodChange {
  readonly allowanceId: string;
  /** Start of the period, as printed by `startText`. */
  readonly periodStart: string;
  readonly spent?: string;
  /** USD of holds that were closed. */
  readonly released?: string;
  readonly closedHolds?: number;
}

interface ChangesInput {
  readonly organization: string | readonly string[];
  readonly allowanceIds: readonly string[];
  readonly periodStarts: readonly string[];
  readonly released: readonly string[];
  readonly closedHolds: readonly number[];
  readonly spent: readonly string[];
}

const ITEMS =
  ':allowanceIds::uuid[], :periodStarts::timestamptz[], :released::numeric[], :closedHolds::int[], :spent::numeric[]';

/** A release never inserts a row, because opening the hold made sure that the row exists. */
const CHANGE = inEachForm((form) =>
  statement<object, ChangesInput>(
    `insert into allowance_period as p (organization_id, allowance_id, period_start, held, open_holds, spent)
     select ${organizationRows(form, ITEMS)}
     on conflict (organization_id, allowance_id, period_start) do update set held = p.held + excluded.held,
       open_holds = p.open_holds + excluded.open_holds, spent = p.spent + excluded.spent`,
  ),
);

/**
 * Adds the costs and releases of a pricing transaction. Call it once per organization and transaction, after
 * `publishBatches`, in the order of organizations: two calls could deadlock.
 */
export async function changePeriods(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  changes: readonly PeriodChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const ordered = [...Map.groupBy(changes, (change) => `${change.allowanceId} ${change.periodStart}`)].toSorted(
    ([one], [other]) => (one < other ? -1 : 1),
  );
  const groups = [{ organizationId, items: ordered }];
  const total = (of: readonly PeriodChange[], amount: (change: PeriodChange) => string | undefined): Money =>
    of.reduce((sum, change) => sum.plus(money(amount(change) ?? '0')), ZERO);
  await tx.run(CHANGE[formOf(tx, groups)], {
    organization: organizationParameter(groups),
    allowanceIds: ordered.map(([, [first]]) => first!.allowanceId),
    periodStarts: ordered.map(([, [first]]) => first!.periodStart),
    released: ordered.map(([, of]) => plain(total(of, ({ released }) => released).negated())),
    closedHolds: ordered.map(([, of]) => of.reduce((count, { closedHolds }) => count - (closedHolds ?? 0), 0)),
    spent: ordered.map(([, of]) => plain(total(of, ({ spent }) => spent))),
  });
}

const RELEASE = statement<
  object,
  Omit<ChangesInput, 'organization' | 'spent'> & { readonly organizationId: OrganizationId }
>(`
  with part as (
    select * from unnest(:allowanceIds::uuid[], :periodStarts::timestamptz[], :released::numeric[], :closedHolds::int[])
      as part (allowance_id, period_start, released, closed_holds)
  ), locked as materialized (
    select p.allowance_id, p.period_start, part.released, part.closed_holds
    from part join allowance_period p on p.organization_id = :organizationId and p.allowance_id = part.allowance_id
      and p.period_start = part.period_start
    order by 1, 2 for update of p
  )
  update allowance_period p set held = p.held - locked.released, open_holds = p.open_holds - locked.closed_holds
  from locked
  where p.organization_id = :organizationId and p.allowance_id = locked.allowance_id and p.period_start = locked.period_start`);

/**
 * Subtracts released and expired holds from the held amounts of their periods. Skips allowances that were removed in
 * the meantime.
 */
export async function releasePeriods(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  changes: readonly PeriodChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await tx.run(RELEASE, {
    organizationId,
    allowanceIds: changes.map(({ allowanceId }) => allowanceId),
    periodStarts: changes.map((change) => change.periodStart),
    released: changes.map(({ released }) => released ?? '0'),
    closedHolds: changes.map(({ closedHolds }) => closedHolds ?? 0),
  });
}

const OPEN_PERIODS = statement<
  object,
  { readonly organizationId: OrganizationId; readonly ids: readonly string[] | null }
>(`
  insert into allowance_period (organization_id, allowance_id, period_start, held, open_holds, spent)
  select organization_id, id, ${periodStart('period', 'clock_timestamp()')}, 0, 0, 0
  from (
    select organization_id, id, period from allowance
    where organization_id = :organizationId and id = any(:ids::uuid[]) order by id for key share) a
  on conflict (organization_id, allowance_id, period_start) do nothing`);

/** Makes sure that the current periods of these allowances have a row. */
export async function openPeriods(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<void> {
  await tx.run(OPEN_PERIODS, { organizationId, ids });
}

const IS_OLD = `period_start > 'epoch' and period_start < clock_timestamp() - :days * interval '24 hours' and open_holds = 0`;

const FIND_OLD = statement<{ organizationId: OrganizationId }, { readonly days: number; readonly max: number }>(`
  select distinct organization_id from (
    select organization_id from allowance_period /* every organization */
    where ${IS_OLD} order by period_start limit :max) as old order by 1`);

/** Organizations with daily or monthly periods that began at least `days` ago; at most `max`. */
export async function findOrganizationsWithOldPeriods(
  tx: WriteTransaction,
  days: number,
  max: number,
): Promise<string[]> {
  return (await tx.all(FIND_OLD, { days, max })).map(({ organizationId }) => organizationId);
}

const PRUNE = statement<
  object,
  { readonly organizationId: OrganizationId; readonly days: number; readonly max: number }
>(`
  delete from allowance_period p using (
    select allowance_id, period_start from allowance_period
    where organization_id = :organizationId and ${IS_OLD} order by allowance_id, period_start limit :max for update) as old
  where p.organization_id = :organizationId and p.allowance_id = old.allowance_id and p.period_start = old.period_start`);

/** Deletes at most `max` of these old periods: no decision or verification reads them. */
export async function prunePeriods(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  days: number,
  max: number,
): Promise<void> {
  await tx.run(PRUNE, { organizationId, days, max });
}
