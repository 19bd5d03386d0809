/** Sums by end user and UTC day between any two instants: facts for the partial days at both ends, rollups between. */
import type { EndUserId, OrganizationId } from '#kernel/ids.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { splitWindow } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';
import { NO_END_USER } from '../rollups/end-user-day.table.ts';
import { IS_LAST_DAY_OVER, lastDay } from '../rollups/window-rows.query.ts';

export interface EndUserCostDayRow {
  /** `NO_END_USER` for events that name none. */
  readonly endUserId: EndUserId;
  readonly externalId: string | null;
  /** Null, like the sums, for a known end user without costs in the window. */
  readonly day: string | null;
  readonly totalCost: string | null;
  readonly eventCount: string | null;
}

const FACTS = `
  select coalesce(end_user_id, '${NO_END_USER}') as end_user_id, date_trunc('day', event_time, 'UTC') as bucket, total_cost,
    (sequence = 0)::int as event_count
  from cost_fact where organization_id = :organizationId`;
const DAYS =
  'select end_user_id, bucket, total_cost, event_count from end_user_day where organization_id = :organizationId';

interface EndUserCostDaysInput {
  readonly organizationId: OrganizationId;
  readonly start: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly end: string;
  readonly rowsMax: number;
}

const READ_END_USER_COST_DAYS = statement<EndUserCostDayRow, EndUserCostDaysInput>(`
  with ${lastDay(':organizationId', ':lastDay', ':end')},
  cost as (
    select end_user_id, bucket, sum(total_cost) as total_cost, sum(event_count) as event_count
    from (
      ${FACTS} and event_time >= :start::timestamptz and event_time < :firstDay::timestamptz
      union all ${DAYS} and bucket >= :firstDay::timestamptz and bucket < :lastDay::timestamptz
      union all ${DAYS} and bucket = :lastDay::timestamptz and ${IS_LAST_DAY_OVER}
      union all ${FACTS} and event_time >= :lastDay::timestamptz and event_time < :end::timestamptz and not ${IS_LAST_DAY_OVER}
    ) as part
    group by end_user_id, bucket)
  select coalesce(known.id, cost.end_user_id) as end_user_id, external_id, (bucket at time zone 'UTC')::date::text as day, total_cost, event_count
  from (select id, external_id from end_user where organization_id = :organizationId) as known
  full join cost on cost.end_user_id = known.id
  limit :rowsMax`);

/** All known end users: a row for each day with costs, or one row without a day. Unordered, at most `rowsMax` rows. */
export function readEndUserCostDays(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
  rowsMax: number,
): Promise<EndUserCostDayRow[]> {
  const [start, firstDay, , , lastWholeDay, end] = splitWindow(window, 'day', 'month');
  return tx.all(READ_END_USER_COST_DAYS, { organizationId, start, firstDay, lastDay: lastWholeDay, end, rowsMax });
}
