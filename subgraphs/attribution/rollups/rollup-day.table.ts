/** Sums by key, UTC day and value: the sums of the day's hours. */
import { defineEntity, p } from '@mikro-orm/core';
import { type Home, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { addMeasures, MEASURES, measureProperties } from '../measures/measure.ts';

export const RollupDayTable = defineEntity({
  name: 'RollupDay',
  tableName: 'rollup_day',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    dimensionKey: p.text().primary(),
    /** First instant of the day. */
    bucket: p.datetime(0).primary(),
    dimensionValue: p.text().primary(),
    ...measureProperties,
  },
});

/**
 * Adds the rows of `source`, in the same order as for hours. Returns the days, and whether the value was new on that
 * day: if not, an existing row was locked, which its `xmax` shows.
 */
export function addToRollupDay(source: string, home: Home): string {
  return `
    insert into rollup_day (organization_id, dimension_key, bucket, dimension_value, ${MEASURES})
    ${selectAtHome(home, `dimension_key, bucket, dimension_value, ${MEASURES}`, source)} order by 1, 2, 3, 4
    on conflict (organization_id, dimension_key, bucket, dimension_value) do update set ${addMeasures('rollup_day')}
    returning organization_id, dimension_key, bucket, xmax = 0 as is_new`;
}
