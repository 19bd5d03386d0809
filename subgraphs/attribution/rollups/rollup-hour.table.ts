/** Sums by key, UTC hour and value. The hour precedes the value, so that a window is one range of the primary key. */
import { defineEntity, p } from '@mikro-orm/core';
import { type Home, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { addMeasures, MEASURES, measureProperties } from '../measures/measure.ts';

export const RollupHourTable = defineEntity({
  name: 'RollupHour',
  tableName: 'rollup_hour',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    dimensionKey: p.text().primary(),
    /** First instant of the hour. */
    bucket: p.datetime(0).primary(),
    dimensionValue: p.text().primary(),
    ...measureProperties,
  },
});

/**
 * Adds the rows of `source`, which has the table's columns. Sorted, because unsorted upserts of two writers deadlock.
 */
export function addToRollupHour(source: string, home: Home): string {
  return `
    insert into rollup_hour (organization_id, dimension_key, bucket, dimension_value, ${MEASURES})
    ${selectAtHome(home, `dimension_key, bucket, dimension_value, ${MEASURES}`, source)} order by 1, 2, 3, 4
    on conflict (organization_id, dimension_key, bucket, dimension_value) do update set ${addMeasures('rollup_hour')}`;
}
