/** The price of a fixed cost from one day to another. Periods of one fixed cost never overlap (exclusion constraint). */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { money, plain, quantity } from '#kernel/money.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Period, RATE_UNITS, type RateUnit } from './fixed-cost.ts';

export const FixedCostPeriodTable = defineEntity({
  name: 'FixedCostPeriod',
  tableName: 'fixed_cost_period',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    fixedCostId: p.uuid().primary(),
    /** First UTC day. */
    fromDay: p.date().primary(),
    /** The day after the last day; null if there is no end. */
    untilDay: p.date().nullable(),
    amount: p.decimal().precision(30).scale(15),
    per: p.enum(RATE_UNITS),
    quantity: p.decimal().precision(30).scale(15),
  },
});

interface PeriodRow {
  readonly fixedCostId: string;
  readonly fromDay: string;
  readonly untilDay: string | null;
  readonly amount: string;
  readonly per: RateUnit;
  readonly quantity: string;
}

const LIST_PERIODS = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) => sql<PeriodRow>`
    select fixed_cost_id, from_day::text, until_day::text, amount::text, per, quantity::text
    from fixed_cost_period where organization_id = ${organizationId} order by fixed_cost_id, from_day`,
);

/** The periods of each fixed cost in order; keyed by its id. */
export async function listPeriods(
  tx: Transaction,
  organizationId: OrganizationId,
): Promise<ReadonlyMap<string, readonly Period[]>> {
  const rows = await tx.all(LIST_PERIODS, { organizationId });
  const periods = rows.map((row) => ({ ...row, amount: money(row.amount), quantity: quantity(row.quantity) }));
  return Map.groupBy(periods, ({ fixedCostId }) => fixedCostId);
}

const DELETE_PERIODS = statement(
  (input: Parameters<{ organizationId: OrganizationId; fixedCostId: string }>) => sql<object>`
    delete from fixed_cost_period where organization_id = ${input.organizationId} and fixed_cost_id = ${input.fixedCostId}`,
);

const INSERT_PERIOD = statement(
  (input: Parameters<PeriodRow & { organizationId: OrganizationId }>) => sql<object>`
    insert into fixed_cost_period (organization_id, fixed_cost_id, from_day, until_day, amount, per, quantity)
    values (${input.organizationId}, ${input.fixedCostId}, ${input.fromDay}, ${input.untilDay}, ${input.amount},
      ${input.per}, ${input.quantity})`,
);

export async function replacePeriods(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  fixedCostId: string,
  periods: readonly Period[],
): Promise<void> {
  await tx.run(DELETE_PERIODS, { organizationId, fixedCostId });
  for (const { amount, quantity, fromDay, untilDay, per } of periods)
    await tx.run(INSERT_PERIOD, {
      organizationId,
      fixedCostId,
      fromDay,
      untilDay,
      per,
      amount: plain(amount),
      quantity: plain(quantity),
    });
}
