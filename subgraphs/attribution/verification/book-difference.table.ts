/** Differences between the ledger and attribution, by organization and day, with the time they were first seen. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import type { LedgerDay } from '#schema/ledger-days.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { byDays, type DaysInput, daysInput, statementsOf } from '#platform/database/nodes/organization-rows.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const BookDifferenceTable = defineEntity({
  name: 'BookDifference',
  tableName: 'book_difference',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    day: p.date().primary(),
    /** Name of the comparison. */
    what: p.text().primary(),
    /** Figures of both sides, as text. */
    detail: p.text(),
    since: p.datetime(3),
    verifiedAt: p.datetime(3),
  },
});

export interface NewDifference extends LedgerDay {
  readonly what: string;
  readonly detail: string;
}

export interface BookDifference extends NewDifference {
  /** ISO 8601 UTC. */
  readonly since: string;
}

const DELETE_RESOLVED = statement<
  object,
  DaysInput & { foundIds: readonly string[]; foundDays: readonly string[]; whats: readonly string[] }
>(
  byDays(
    ({ days }) => `
    delete from book_difference b using ${days}
    where b.organization_id = d.organization_id and b.day = d.day
      and (b.organization_id, b.day, b.what) not in (select * from unnest(:foundIds::uuid[], :foundDays::date[], :whats::text[]))`,
  ),
);

const SAVE_DIFFERENCE = statement<object, NewDifference>(`
  insert into book_difference (organization_id, day, what, detail, since, verified_at)
  values (:organizationId, :day, :what, :detail, now(), now())
  on conflict (organization_id, day, what) do update set detail = excluded.detail, verified_at = excluded.verified_at`);

/**
 * Replaces the known differences of these days. Resolved differences are deleted; those that remain keep their
 * `since`.
 */
export async function saveDifferences(
  tx: WriteTransaction,
  days: readonly LedgerDay[],
  found: readonly NewDifference[],
): Promise<void> {
  for (const some of statementsOf(tx, days))
    await tx.run(DELETE_RESOLVED, {
      ...daysInput(some),
      foundIds: found.map(({ organizationId }) => organizationId),
      foundDays: found.map(({ day }) => day),
      whats: found.map(({ what }) => what),
    });
  const key = ({ organizationId, day, what }: NewDifference) => `${organizationId} ${day} ${what}`;
  for (const difference of found.toSorted((one, other) => (key(one) < key(other) ? -1 : 1)))
    await tx.run(SAVE_DIFFERENCE, difference);
}

const LIST_DIFFERENCES = statement<
  BookDifference,
  { organizationId: OrganizationId | null; limit: number; offset: number }
>(`
  select organization_id, day::text, what, detail, ${isoMillis('since')} as since from book_difference
  where :organizationId::uuid is null or organization_id = :organizationId
  order by book_difference.since, organization_id, day, what limit :limit offset :offset`);

/** The differences of one organization, or of all organizations; the oldest first. */
export function listDifferences(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
  { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
): Promise<BookDifference[]> {
  return tx.all(LIST_DIFFERENCES, { organizationId, limit, offset });
}

const COUNT_DIFFERENCES = statement<{ count: number }, { organizationId: OrganizationId | null }>(`
  select count(*)::float8 as count from book_difference where :organizationId::uuid is null or organization_id = :organizationId`);

export async function countDifferences(tx: WriteTransaction, organizationId: OrganizationId | null): Promise<number> {
  return (await tx.one(COUNT_DIFFERENCES, { organizationId })).count;
}

const COUNT_DIFFERING_DAYS = statement<{ days: number; organizations: number }>(`
  select count(distinct (organization_id, day))::float8 as days, count(distinct organization_id)::float8 as organizations
  from book_difference`);

export function countDifferingDays(tx: WriteTransaction): Promise<{ days: number; organizations: number }> {
  return tx.one(COUNT_DIFFERING_DAYS, {});
}
