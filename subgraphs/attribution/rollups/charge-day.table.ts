/** Charges by UTC day, provider, model, pricing context, class and unit, like the lines of a provider's bill. */
import { defineEntity, p } from '@mikro-orm/core';
import { type Home, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { addMeasures } from '../measures/measure.ts';

const sumColumn = () => p.decimal().columnType('numeric');

export const ChargeDayTable = defineEntity({
  name: 'ChargeDay',
  tableName: 'charge_day',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    /** First instant of the day. */
    bucket: p.datetime(0).primary(),
    /** Slug in the catalogue, or the name as reported. */
    provider: p.text().primary(),
    model: p.text().primary(),
    /** Empty for the standard price. */
    context: p.text().primary(),
    chargeClass: p.text().primary(),
    unit: p.text().primary(),
    /** Name of the agreement whose discount was subtracted; empty for none. */
    agreement: p.text().primary(),
    quantity: sumColumn(),
    listAmount: sumColumn(),
    amount: sumColumn(),
    /** The part of the amount that was not booked with the event. */
    corrections: sumColumn(),
    eventCount: p.bigint(),
  },
});

export const CHARGE_KEYS = ['provider', 'model', 'context', 'charge_class', 'unit'] as const;
export const STORED_CHARGE_KEYS = [...CHARGE_KEYS, 'agreement'] as const;
export const CHARGE_SUMS = ['quantity', 'list_amount', 'amount', 'corrections', 'event_count'] as const;
const COLUMNS = ['bucket', ...STORED_CHARGE_KEYS, ...CHARGE_SUMS].join(', ');

/**
 * SQL for the charges of `facts` (rows of `cost_fact`), one row for each line. `columns` are further columns of the
 * fact.
 */
export function chargeRows(facts: string, columns: readonly string[] = []): string {
  const more = columns.map((column) => `, ${column}`).join('');
  return `
    select fact.organization_id, date_trunc('day', fact.event_time, 'UTC') as bucket,
      case when fact.provider_slug = 'unknown' then fact.provider_name else fact.provider_slug end as provider,
      coalesce(line ->> 6, fact.model_slug) as model, coalesce(line ->> 5, '') as context, line ->> 0 as charge_class,
      coalesce(line ->> 4, 'token') as unit, coalesce(line ->> 7, '') as agreement, (line ->> 1)::numeric as quantity,
      coalesce(line ->> 3, line ->> 2)::numeric as list_amount, (line ->> 2)::numeric as amount,
      case when fact.sequence = 0 then 0 else (line ->> 2)::numeric end as corrections,
      (fact.sequence = 0)::int as event_count${more}
    from ${facts} as fact cross join lateral jsonb_array_elements(fact.charges) as line`;
}

/** Sums by day of `facts`. */
export function chargeDaySums(facts: string): string {
  const keys = `organization_id, bucket, ${STORED_CHARGE_KEYS.join(', ')}`;
  const sums = CHARGE_SUMS.map((column) => `sum(${column}) as ${column}`).join(', ');
  return `select ${keys}, ${sums} from (${chargeRows(facts)}) as charge group by ${keys}`;
}

/** Adds the rows of `source`, sorted by the primary key. */
export function addToChargeDay(source: string, home: Home): string {
  const identity = `organization_id, bucket, ${STORED_CHARGE_KEYS.join(', ')}`;
  return `
    insert into charge_day (organization_id, ${COLUMNS})
    ${selectAtHome(home, COLUMNS, source)} order by ${identity}
    on conflict (${identity}) do update set ${addMeasures('charge_day', CHARGE_SUMS)}`;
}
