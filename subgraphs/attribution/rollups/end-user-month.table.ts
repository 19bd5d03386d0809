/** Sums by end user and UTC month: the sums of the month's days. */
import { defineEntity, p } from '@mikro-orm/core';
import { type Home, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { addMeasures } from '../measures/measure.ts';

export const EndUserMonthTable = defineEntity({
  name: 'EndUserMonth',
  tableName: 'end_user_month',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    /** First instant of the month. */
    bucket: p.datetime(0).primary(),
    endUserId: p.uuid().primary(),
    totalCost: p.decimal().columnType('numeric'),
    eventCount: p.bigint(),
  },
});

/** Adds the rows of `source`, sorted by the primary key. */
export function addToEndUserMonth(source: string, home: Home): string {
  return `
    insert into end_user_month (organization_id, bucket, end_user_id, total_cost, event_count)
    ${selectAtHome(home, 'bucket, end_user_id, total_cost, event_count', source)} order by 1, 2, 3
    on conflict (organization_id, bucket, end_user_id)
    do update set ${addMeasures('end_user_month', ['total_cost', 'event_count'])}`;
}
