/** The newest pull of each day and part, and whether it changed the lines of the day. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { BillPart } from '../lines/bill-line.ts';

export const BillDayTable = defineEntity({
  name: 'BillDay',
  tableName: 'bill_day',
  ...tenantTable('reconciliation'),
  properties: {
    organizationId: p.uuid().primary(),
    connectionId: p.uuid().primary(),
    day: p.date().primary(),
    part: p.text().primary(),
    pullId: p.uuid(),
    fetchedAt: p.datetime(3),
    /** SHA-256 of the day's lines. */
    digest: p.text(),
    /** True if the lines differ from those of the previous pull. */
    hasChanged: p.boolean(),
  },
});

export interface DayOfPull {
  readonly day: string;
  readonly part: BillPart;
  readonly digest: string;
}

const SAVE = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      connectionId: string;
      pullId: string;
      fetchedAt: Date;
      days: readonly string[];
      parts: readonly string[];
      digests: readonly string[];
    }>,
  ) =>
    sql<object>`insert into bill_day as known (organization_id, connection_id, pull_id, fetched_at, day, part, digest, has_changed)
      select ${input.organizationId}, ${input.connectionId}, ${input.pullId}, ${input.fetchedAt}, given.day, given.part, given.digest, false
      from unnest(${input.days}::date[], ${input.parts}::text[], ${input.digests}::text[]) as given (day, part, digest)
      on conflict (organization_id, connection_id, day, part) do update
        set pull_id = excluded.pull_id, fetched_at = excluded.fetched_at, digest = excluded.digest,
          has_changed = known.digest <> excluded.digest`,
);

export async function saveDays(
  tx: Transaction,
  pull: { organizationId: OrganizationId; connectionId: string; id: string; fetchedAt: Date },
  days: readonly DayOfPull[],
): Promise<void> {
  const { organizationId, connectionId, id: pullId, fetchedAt } = pull;
  await tx.run(SAVE, {
    organizationId,
    connectionId,
    pullId,
    fetchedAt,
    days: days.map(({ day }) => day),
    parts: days.map(({ part }) => part),
    digests: days.map(({ digest }) => digest),
  });
}

const CHANGED = statement(
  (input: Parameters<{ organizationId: OrganizationId; from: string; until: string }>) =>
    sql<{ connectionId: string; day: string }>`select distinct connection_id, day::text as day from bill_day
      where organization_id = ${input.organizationId} and day >= ${input.from}::date and day < ${input.until}::date and has_changed`,
);

/** Days whose last two pulls differ. */
export function listChangedDays(
  tx: Transaction,
  input: { organizationId: OrganizationId; from: string; until: string },
): Promise<{ connectionId: string; day: string }[]> {
  return tx.all(CHANGED, input);
}
