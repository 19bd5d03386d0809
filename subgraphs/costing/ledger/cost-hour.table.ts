/**
 * Hour counters of live events, updated in the pricing transactions. A summary reads these plus the two partial hours.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { HOUR_MS } from '#kernel/time/duration.ts';
import { type Money, plain, sum } from '#kernel/money.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import {
  formOf,
  inEachForm,
  type OfOrganization,
  organizationParameter,
  organizationRows,
  withItems,
} from '#platform/database/nodes/organization-rows.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const CostHourTable = defineEntity({
  name: 'CostHour',
  tableName: 'cost_hour',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Start of a UTC hour of event time. */
    hour: p.datetime(0).primary(),
    completed: p.bigint(),
    failed: p.bigint(),
    pendingRateCard: p.bigint(),
    totalCost: p.decimal().precision(40).scale(15),
    /** Input plus output tokens of all events counted here. */
    quantity: p.decimal().precision(40).scale(0),
  },
});

/** Change of an hour's counters. Counts and amounts are negative for an event that leaves a state. */
export interface HourChange {
  /** Milliseconds since 1970 of any instant in the hour. */
  readonly atMs: number;
  readonly completed?: number;
  readonly failed?: number;
  readonly pendingRateCard?: number;
  readonly totalCost?: Money;
  /** Tokens; sums may exceed 2^53. */
  readonly quantity?: bigint;
}

interface HoursInput {
  readonly organization: string | readonly string[];
  readonly hours: readonly string[];
  readonly completed: readonly number[];
  readonly failed: readonly number[];
  readonly pendingRateCard: readonly number[];
  readonly totalCost: readonly string[];
  readonly quantity: readonly string[];
}

const HOURS = `:hours::timestamptz[], :completed::bigint[], :failed::bigint[], :pendingRateCard::bigint[],
  :totalCost::numeric[], :quantity::numeric[]`;
const ADD = inEachForm((form) =>
  statement<object, HoursInput>(
    `insert into cost_hour as h (organization_id, hour, completed, failed, pending_rate_card, total_cost, quantity)
     select ${organizationRows(form, HOURS)}
     on conflict (organization_id, hour) do update set completed = h.completed + excluded.completed, failed = h.failed + excluded.failed,
       pending_rate_card = h.pending_rate_card + excluded.pending_rate_card, total_cost = h.total_cost + excluded.total_cost,
       quantity = h.quantity + excluded.quantity`,
    { isPrepared: true },
  ),
);

/**
 * Adds changes of live events to their hours. Call it last in a transaction: all transactions update the newest hour's
 * row.
 */
export function addToCostHours(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  changes: readonly HourChange[],
): Promise<void> {
  return addToCostHoursOf(tx, [{ organizationId, items: changes }]);
}

/** Adds changes of several organizations in one statement. Call it once per transaction: two calls could deadlock. */
export async function addToCostHoursOf(
  tx: WriteTransaction,
  changes: readonly OfOrganization<HourChange>[],
): Promise<void> {
  // Sorted, since upserts in different orders deadlock.
  const groups = withItems(changes)
    .toSorted((one, other) => (one.organizationId < other.organizationId ? -1 : 1))
    .map(({ organizationId, items }) => ({ organizationId, items: byHour(items) }));
  if (groups.length === 0) return;
  const hours = groups.flatMap(({ items }) => items);
  const count = (pick: (change: HourChange) => number | undefined) =>
    hours.map(([, ofHour]) => ofHour.reduce((total, change) => total + (pick(change) ?? 0), 0));
  await tx.run(ADD[formOf(tx, groups)], {
    organization: organizationParameter(groups),
    hours: hours.map(([hour]) => new Date(hour).toISOString()),
    completed: count((change) => change.completed),
    failed: count((change) => change.failed),
    pendingRateCard: count((change) => change.pendingRateCard),
    totalCost: hours.map(([, ofHour]) => total(ofHour)),
    quantity: hours.map(([, ofHour]) =>
      ofHour.reduce((tokens, change) => tokens + (change.quantity ?? 0n), 0n).toString(),
    ),
  });
}

function byHour(changes: readonly HourChange[]): [hour: number, changes: HourChange[]][] {
  const hours = Map.groupBy(changes, ({ atMs }) => Math.floor(atMs / HOUR_MS) * HOUR_MS);
  return [...hours].toSorted(([one], [other]) => one - other);
}

function total(changes: readonly HourChange[]): string {
  const amounts = changes.flatMap(({ totalCost }) => totalCost ?? []);
  return plain(sum(amounts));
}
