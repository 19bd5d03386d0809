/** Days whose facts have changed since they were verified. */
import { defineEntity, p } from '@mikro-orm/core';
import { isDistributed } from '#platform/database/nodes/distribution.ts';
import { lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Home, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import { daysParameters, statementsOf } from '#platform/database/nodes/organization-rows.ts';
import { query } from '#platform/database/sql.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const ChangedDayTable = defineEntity({
  name: 'ChangedDay',
  tableName: 'changed_day',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    day: p.date().primary(),
    /** Times of the first and the last change. */
    since: p.datetime(3),
    changedAt: p.datetime(3),
  },
  indexes: [{ name: 'changed_day_turn_index', properties: ['since'] }],
});

/** Marks the days of `facts`, which is SQL with an organization and an event time. */
export function markChangedDays(facts: string, home: Home): string {
  const days = `(select distinct organization_id, (event_time at time zone 'UTC')::date as day from ${facts}) as changed`;
  return `
    insert into changed_day as kept (organization_id, day, since, changed_at)
    ${selectAtHome(home, 'day, now(), now()', days)} order by 1, 2
    on conflict (organization_id, day) do update set changed_at = excluded.changed_at`;
}

export interface ChangedDay {
  readonly organizationId: string;
  readonly day: string;
  /** As the database formats it. */
  readonly changedAt: string;
}

/**
 * Days in the order of their first change, once they have been quiet for `quietSeconds` or changing for
 * `movingSeconds`.
 */
export async function listChangedDays(
  database: Database,
  { quietSeconds, movingSeconds, max }: { quietSeconds: number; movingSeconds: number; max: number },
): Promise<ChangedDay[]> {
  const days = await lookAcross<ChangedDay & { readonly sinceSeconds: number }>(database, {
    tables: ['changed_day'],
    text: (table) => `
      select organization_id, day::text, changed_at::text, extract(epoch from since)::float8 as since_seconds from ${table}
      where changed_at <= now() - $1 * interval '1 second' or since <= now() - $2 * interval '1 second' order by since limit $3`,
    parameters: [quietSeconds, movingSeconds, max],
    compare: (one, other) => one.sinceSeconds - other.sinceSeconds,
  });
  return days.map(({ organizationId, day, changedAt }) => ({ organizationId, day, changedAt }));
}

/** Removes verified days. A day that has changed again stays, with that change as its first. */
export async function clearChangedDays(tx: WriteTransaction, days: readonly ChangedDay[]): Promise<void> {
  const item = isDistributed(tx)
    ? '(select $1::uuid as organization_id, * from unnest($2::date[], $3::timestamptz[]) as each (day, changed_at)) as item'
    : 'unnest($1::uuid[], $2::date[], $3::timestamptz[]) as item (organization_id, day, changed_at)';
  const same = 'kept.organization_id = item.organization_id and kept.day = item.day';
  for (const some of statementsOf(tx, days)) {
    const parameters = [...daysParameters(tx, some), some.map(({ changedAt }) => changedAt)];
    await query(
      tx,
      `delete from changed_day kept using ${item} where ${same} and kept.changed_at = item.changed_at`,
      parameters,
    );
    await query(
      tx,
      `update changed_day kept set since = kept.changed_at from ${item} where ${same} and kept.changed_at > item.changed_at`,
      parameters,
    );
  }
}
