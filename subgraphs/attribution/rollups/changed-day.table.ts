/** Days whose facts have changed since they were verified. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { byHome, type Home, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import { type DaysInput, daysInput, statementsOf } from '#platform/database/nodes/organization-rows.ts';
import { statement } from '#platform/database/statement.ts';
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
  readonly organizationId: OrganizationId;
  readonly day: string;
  /** The time of the change, as PostgreSQL prints it. */
  readonly changedAt: string;
}

/** Days that have been quiet for `quietSeconds` or changing for `movingSeconds`, in the order of their first change. */
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

const changedDays = (home: Home) =>
  home === null
    ? 'unnest(:organizationIds::uuid[], :days::date[], :changes::timestamptz[]) as item (organization_id, day, changed_at)'
    : `(select ${home}::uuid as organization_id, * from unnest(:days::date[], :changes::timestamptz[]) as each (day, changed_at)) as item`;
const SAME_DAY = 'kept.organization_id = item.organization_id and kept.day = item.day';

interface ChangedDays extends DaysInput {
  readonly changes: readonly string[];
}

const DELETE_UNCHANGED = statement<object, ChangedDays>(
  byHome(
    (home) =>
      `delete from changed_day kept using ${changedDays(home)} where ${SAME_DAY} and kept.changed_at = item.changed_at`,
  ),
);
const KEEP_CHANGED = statement<object, ChangedDays>(
  byHome(
    (home) =>
      `update changed_day kept set since = kept.changed_at from ${changedDays(home)} where ${SAME_DAY} and kept.changed_at > item.changed_at`,
  ),
);

/** Removes verified days. A day that has changed since stays, and that change is then its first one. */
export async function clearChangedDays(tx: WriteTransaction, days: readonly ChangedDay[]): Promise<void> {
  for (const some of statementsOf(tx, days)) {
    const input = { ...daysInput(some), changes: some.map(({ changedAt }) => changedAt) };
    await tx.run(DELETE_UNCHANGED, input);
    await tx.run(KEEP_CHANGED, input);
  }
}
