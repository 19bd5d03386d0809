/** Hour counters of live events, kept in the transactions that price: a summary reads these and the two partial hours. */
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { HOUR_MS } from '../../../kernel/time/duration.ts';
import { type Money, plain, sum } from '../../../kernel/money.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { type Parameters, run, statement } from '../../../platform/database/statement.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const CostHourTable = defineEntity({
  name: 'CostHour',
  tableName: 'cost_hour',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** First instant of a UTC hour of event time. */
    hour: p.datetime(0).primary(),
    completed: p.bigint(),
    failed: p.bigint(),
    pendingRateCard: p.bigint(),
    totalCost: p.decimal().precision(40).scale(15),
    /** Input plus output tokens of every event counted here. */
    quantity: p.decimal().precision(40).scale(0),
  },
});

/** What changes in an hour. Counts and amounts may be negative: an event that leaves a state is taken off. */
export interface HourChange {
  /** Milliseconds since 1970 of any instant in the hour. */
  readonly atMs: number;
  readonly completed?: number;
  readonly failed?: number;
  readonly pendingRateCard?: number;
  readonly totalCost?: Money;
  /** Tokens; whole numbers that may exceed 2^53 in sum. */
  readonly quantity?: bigint;
}

const ADD_TO_COST_HOURS = statement(
  (
    input: Parameters<{
      organizationId: string;
      hours: readonly string[];
      completed: readonly number[];
      failed: readonly number[];
      pendingRateCard: readonly number[];
      totalCost: readonly string[];
      quantity: readonly string[];
    }>,
  ) => sql<object>`
    insert into cost_hour as h (organization_id, hour, completed, failed, pending_rate_card, total_cost, quantity)
    select ${input.organizationId}, * from unnest(${input.hours}::timestamptz[], ${input.completed}::bigint[], ${input.failed}::bigint[], ${input.pendingRateCard}::bigint[], ${input.totalCost}::numeric[], ${input.quantity}::numeric[])
    on conflict (organization_id, hour) do update set completed = h.completed + excluded.completed, failed = h.failed + excluded.failed,
      pending_rate_card = h.pending_rate_card + excluded.pending_rate_card, total_cost = h.total_cost + excluded.total_cost,
      quantity = h.quantity + excluded.quantity`,
);

/** Adds changes of live events to their hours. Call it last in a transaction: the newest hour's row is everybody's. */
export async function addToCostHours(
  em: EntityManager,
  organizationId: string,
  changes: readonly HourChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const hours = Map.groupBy(changes, ({ atMs }) => Math.floor(atMs / HOUR_MS) * HOUR_MS);
  // In one order for all workers: unsorted upserts deadlock.
  const sorted = [...hours].toSorted(([a], [b]) => a - b);
  const count = (pick: (change: HourChange) => number | undefined) =>
    sorted.map(([, ofHour]) => ofHour.reduce((total, change) => total + (pick(change) ?? 0), 0));
  await run(em, ADD_TO_COST_HOURS, {
    organizationId,
    hours: sorted.map(([hour]) => new Date(hour).toISOString()),
    completed: count((change) => change.completed),
    failed: count((change) => change.failed),
    pendingRateCard: count((change) => change.pendingRateCard),
    totalCost: sorted.map(([, ofHour]) => total(ofHour)),
    quantity: sorted.map(([, ofHour]) =>
      ofHour.reduce((tokens, change) => tokens + (change.quantity ?? 0n), 0n).toString(),
    ),
  });
}

function total(changes: readonly HourChange[]): string {
  const amounts = changes.flatMap(({ totalCost }) => totalCost ?? []);
  return plain(sum(amounts));
}
