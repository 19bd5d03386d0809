/**
 * End users with so many events that adding them up takes long: their costs by model are summed by day. Their rows
 * begin empty and are filled backwards, day by day (`upkeep/sum-large-end-user.step.ts`).
 */
import type { EndUserId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { type Home, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { LARGE_END_USER_EVENTS } from '../config.ts';
import { NO_END_USER } from './end-user-day.table.ts';

export const LargeEndUserTable = defineEntity({
  name: 'LargeEndUser',
  tableName: 'large_end_user',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    endUserId: p.uuid().primary(),
    /** `end_user_model_day` contains the days from this one on: none if `infinity`, all if `-infinity`. */
    summedFrom: p.date(),
  },
  indexes: [
    { name: 'large_end_user_unfinished_index', properties: ['organizationId'], where: "summed_from > '-infinity'" },
  ],
});

/** Adds the end users that have become large by the rows of `months`, which are rows of `end_user_month`. */
export function addLargeEndUsers(months: string, home: Home): string {
  const grown = `(
    select distinct organization_id, end_user_id from ${months} as month
    where event_count >= ${LARGE_END_USER_EVENTS} and end_user_id <> '${NO_END_USER}'
      and not exists (
        select 1 from large_end_user large
        where large.organization_id = ${home ?? 'month.organization_id'} and large.end_user_id = month.end_user_id)) as grown`;
  return `
    insert into large_end_user (organization_id, end_user_id, summed_from)
    ${selectAtHome(home, "end_user_id, 'infinity'::date", grown)} order by 1, 2
    on conflict (organization_id, end_user_id) do nothing`;
}

const DROP = ['end_user_model_day', 'large_end_user'].map((table) =>
  statement<object, { organizationId: OrganizationId; endUserIds: readonly EndUserId[] }>(
    `delete from ${table} where organization_id = :organizationId and end_user_id = any(:endUserIds::uuid[])`,
  ),
);

/** Removes the sums of end users whose past facts change owner. Reads use their facts until they are large again. */
export async function dropLargeEndUsers(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  endUserIds: readonly EndUserId[],
): Promise<void> {
  for (const drop of DROP) await tx.run(drop, { organizationId, endUserIds });
}
