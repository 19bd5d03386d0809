/** Differences between the ledger and attribution, by organization and day, with the time they were first seen. */
import { defineEntity, p } from '@mikro-orm/core';
import type { LedgerDay } from '#schema/ledger-days.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { daysParameters, ofDays, statementsOf } from '#platform/database/nodes/organization-rows.ts';
import { query, queryOne } from '#platform/database/sql.ts';
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
    /** Both sides, as text. */
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
    await query(
      tx,
      `
      delete from book_difference b using ${ofDays(tx)}
      where b.organization_id = d.organization_id and b.day = d.day
        and (b.organization_id, b.day, b.what) not in (select * from unnest($3::uuid[], $4::date[], $5::text[]))`,
      [
        ...daysParameters(tx, some),
        found.map(({ organizationId }) => organizationId),
        found.map(({ day }) => day),
        found.map(({ what }) => what),
      ],
    );
  const key = ({ organizationId, day, what }: NewDifference) => `${organizationId} ${day} ${what}`;
  for (const { organizationId, day, what, detail } of found.toSorted((one, other) => (key(one) < key(other) ? -1 : 1)))
    await query(
      tx,
      `
      insert into book_difference (organization_id, day, what, detail, since, verified_at) values ($1, $2, $3, $4, now(), now())
      on conflict (organization_id, day, what) do update set detail = excluded.detail, verified_at = excluded.verified_at`,
      [organizationId, day, what, detail],
    );
}

/** For one organization, or for all; the oldest first. */
export function listDifferences(
  tx: WriteTransaction,
  organizationId: string | null,
  limit: number,
): Promise<BookDifference[]> {
  return query<BookDifference>(
    tx,
    `
    select organization_id, day::text, what, detail, ${isoMillis('since')} as since from book_difference
    where $1::uuid is null or organization_id = $1 order by book_difference.since, organization_id, day, what limit $2`,
    [organizationId, limit],
  );
}

export async function countDifferingDays(tx: WriteTransaction): Promise<{ days: number; organizations: number }> {
  return queryOne(
    tx,
    `
    select count(distinct (organization_id, day))::float8 as days, count(distinct organization_id)::float8 as organizations
    from book_difference`,
  );
}
