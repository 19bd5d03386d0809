/** Sums by large end user, UTC day, provider and model. */
import { defineEntity, p } from '@mikro-orm/core';
import { type Home, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { addMeasures, FACT_SUMS, MEASURES, measureProperties } from '../measures/measure.ts';
import { DAY_OF_FACT } from './pending-day.table.ts';

export const EndUserModelDayTable = defineEntity({
  name: 'EndUserModelDay',
  tableName: 'end_user_model_day',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    endUserId: p.uuid().primary(),
    /** First instant of the day. */
    bucket: p.datetime(0).primary(),
    providerSlug: p.text().primary(),
    modelSlug: p.text().primary(),
    ...measureProperties,
  },
});

/** Sums of the `facts` of large end users, from the first of their summed days on. */
export function endUserModelDaySums(facts: string, home: Home): string {
  return `
    select fact.organization_id, fact.end_user_id, date_trunc('day', fact.event_time, 'UTC') as bucket, provider_slug, model_slug,
      ${FACT_SUMS}
    from ${facts} as fact
    join large_end_user large
      on large.organization_id = ${home ?? 'fact.organization_id'} and large.end_user_id = fact.end_user_id and ${DAY_OF_FACT} >= large.summed_from
    group by 1, 2, 3, 4, 5`;
}

/** Adds the rows of `source`, sorted by the primary key. */
export function addToEndUserModelDay(source: string, home: Home): string {
  const key = 'end_user_id, bucket, provider_slug, model_slug';
  return `
    insert into end_user_model_day (organization_id, ${key}, ${MEASURES})
    ${selectAtHome(home, `${key}, ${MEASURES}`, source)} order by 1, 2, 3, 4, 5
    on conflict (organization_id, ${key}) do update set ${addMeasures('end_user_model_day')}`;
}
