/**
 * The time until which imported rates count for closed months: a month keeps the rates that were known when it was
 * closed.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const ClosedRatesTable = defineEntity({
  name: 'ClosedRates',
  tableName: 'closed_rates',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** End of a group of months that were closed together. The group begins where the previous row ends. */
    closedUntil: p.datetime(3).primary(),
    /** Rates imported later do not count for these months. */
    knownAt: p.datetime(3),
  },
});

const SAVE_CLOSED_RATES = statement(
  (input: Parameters<{ organizationId: OrganizationId; until: Date; now: Date }>) => sql<object>`
    with covering as (
      select known_at from closed_rates where organization_id = ${input.organizationId} and closed_until >= ${input.until}
      order by closed_until limit 1),
    opened as (
      delete from closed_rates where organization_id = ${input.organizationId} and closed_until > ${input.until})
    insert into closed_rates (organization_id, closed_until, known_at)
    values (${input.organizationId}, ${input.until}, coalesce((select known_at from covering), ${input.now}))
    on conflict (organization_id, closed_until) do nothing`,
);

/**
 * Call it after closing or reopening. `until` is the new end of the closed months. Months that stay closed keep their
 * rates.
 */
export async function saveClosedRates(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  until: Date,
  now: Date,
): Promise<void> {
  await tx.run(SAVE_CLOSED_RATES, { organizationId, until, now });
}

export interface ClosedRates {
  /** `YYYY-MM-DD`, exclusive. */
  closedUntil: string;
  knownAtMs: number;
}

const LIST_CLOSED_RATES = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) => sql<ClosedRates>`
    select (closed_until at time zone 'UTC')::date::text as closed_until, (extract(epoch from known_at) * 1000)::float8 as known_at_ms
    from closed_rates where organization_id = ${organizationId} order by closed_until`,
);

/** Until when imported rates count for closed months, ordered by end. */
export function closedRates(tx: Transaction, organizationId: OrganizationId): Promise<ClosedRates[]> {
  return tx.all(LIST_CLOSED_RATES, { organizationId });
}

/** Null for a day of an open month. */
export function knownAtOfDay(closings: readonly ClosedRates[], day: string): number | null {
  return closings.find(({ closedUntil }) => day < closedUntil)?.knownAtMs ?? null;
}
