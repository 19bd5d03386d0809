/** Sums by end user and UTC day; the nil UUID stands for events without an end user. */
import { defineEntity, p } from '@mikro-orm/core';
import { type Home, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { addMeasures } from '../measures/measure.ts';

export const EndUserDayTable = defineEntity({
  name: 'EndUserDay',
  tableName: 'end_user_day',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    /** First instant of the day. */
    bucket: p.datetime(0).primary(),
    endUserId: p.uuid().primary(),
    totalCost: p.decimal().columnType('numeric'),
    eventCount: p.bigint(),
  },
});

/** Stands for the end user of events that name none. */
export const NO_END_USER = '00000000-0000-0000-0000-000000000000';

/** Adds the rows of `source`, sorted by the primary key. */
export function addToEndUserDay(source: string, home: Home): string {
  return `
    insert into end_user_day (organization_id, bucket, end_user_id, total_cost, event_count)
    ${selectAtHome(home, 'bucket, end_user_id, total_cost, event_count', source)} order by 1, 2, 3
    on conflict (organization_id, bucket, end_user_id)
    do update set ${addMeasures('end_user_day', ['total_cost', 'event_count'])}`;
}
