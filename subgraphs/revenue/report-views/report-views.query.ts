/** View for SQL tools: recognized revenue by customer and day. */
import { exactNumber, ORGANIZATION_OF_ROLE, type ReportView } from '#platform/database/sql-access/report-view.ts';
import { recognizedSql, touchesSql } from '../recognition/recognized-sql.ts';

/** A UTC day has 24 hours; the length of `1 day` depends on the session's time zone. */
const DAY = "interval '24 hours'";
/** Revenue is recognized up to now. */
const END = `least(day.first + ${DAY}, now())`;

export const reportViews: readonly ReportView[] = [
  {
    name: 'revenue_day',
    tables: ['revenue_record', 'customer'],
    query: `
      select (first at time zone 'UTC')::date as day, coalesce(linked_external_id, metadata_external_id) as end_user,
        recognized.customer_id as customer,
        coalesce(name, linked_external_id, metadata_external_id) as name, 'USD' as currency, ${exactNumber('recognized')} as recognized
      from (
        select record.customer_id, day.first, sum(${recognizedSql('record', 'day.first', END)}) as recognized
        from revenue_record as record cross join lateral generate_series(
          date_trunc('day', greatest(record.period_start, record.recognized_from), 'UTC'),
          least(greatest(record.period_end, record.recognized_from), now()), ${DAY}) as day (first)
        where record.organization_id = ${ORGANIZATION_OF_ROLE} and record.currency = 'usd' and ${touchesSql('record', 'day.first', END)}
        group by 1, 2) as recognized
      left join customer on customer.organization_id = ${ORGANIZATION_OF_ROLE} and customer.id = recognized.customer_id
      where recognized <> 0`,
  },
];
