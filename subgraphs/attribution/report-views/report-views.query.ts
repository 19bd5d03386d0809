/** Views for SQL tools: charges by day, costs by end user and day, and end users. */
import { exactNumber, ORGANIZATION_OF_ROLE, type ReportView } from '#platform/database/sql-access/report-view.ts';
import { chargeRows } from '../rollups/charge-day.table.ts';
import { NO_END_USER } from '../rollups/end-user-day.table.ts';
import { NO_KEY, pendingFacts } from '../rollups/pending-day.table.ts';

const dayOf = (instant: string) => `(${instant} at time zone 'UTC')::date`;

const CHARGE_COLUMNS = `organization_id, bucket, provider, model, context, charge_class, unit,
  quantity, list_amount, amount, corrections, event_count`;

/** Charges by day, including facts that the sums by day do not contain yet. */
const CHARGES = `
  select ${CHARGE_COLUMNS} from charge_day
  union all select ${CHARGE_COLUMNS} from (${chargeRows(
    `(select fact.* ${pendingFacts(ORGANIZATION_OF_ROLE, NO_KEY, "'-infinity'", "'infinity'")})`,
  )}) as pending`;

export const reportViews: readonly ReportView[] = [
  {
    name: 'charge_day',
    tables: ['charge_day', 'cost_fact', 'pending_day', 'feed_place', 'rolled_key'],
    query: `
      select ${dayOf('bucket')} as day, provider, model, context, charge_class as class, unit,
        ${exactNumber('sum(quantity)')} as quantity, ${exactNumber('sum(list_amount)')} as list_amount,
        ${exactNumber('sum(amount)')} as contracted_amount, ${exactNumber('sum(amount)')} as effective_amount,
        ${exactNumber('sum(corrections)')} as corrections, sum(event_count)::bigint as events
      from (${CHARGES}) as charge where organization_id = ${ORGANIZATION_OF_ROLE}
      group by 1, 2, 3, 4, 5, 6`,
  },
  {
    name: 'cost_day',
    tables: ['end_user_day', 'end_user'],
    query: `
      select ${dayOf('bucket')} as day, external_id as end_user, ${exactNumber('total_cost')} as cost, event_count as events
      from end_user_day sums left join end_user on end_user.organization_id = sums.organization_id
        and end_user.id = sums.end_user_id and sums.end_user_id <> '${NO_END_USER}'
      where sums.organization_id = ${ORGANIZATION_OF_ROLE}`,
  },
  {
    name: 'end_user',
    tables: ['end_user'],
    query: `
      select external_id as end_user, id as end_user_id, first_seen_at
      from end_user where organization_id = ${ORGANIZATION_OF_ROLE}`,
  },
];
