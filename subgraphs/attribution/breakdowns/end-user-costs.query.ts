/**
 * Sums by end user between any two instants in one statement: facts for the partial days, then whole days and whole
 * months.
 */
import type { EndUserId, OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { splitWindow } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';
import { NO_END_USER } from '../rollups/end-user-day.table.ts';
import { IS_LAST_DAY_OVER, lastDay } from '../rollups/window-rows.query.ts';
import { FACT_SUMS, type MeasureRow } from '../measures/measure.ts';

export interface EndUserCostRow {
  /** `NO_END_USER` for events that name none. */
  readonly endUserId: EndUserId;
  readonly externalId: string | null;
  readonly totalCost: string;
  readonly eventCount: string;
}

const FACTS = `
  select coalesce(end_user_id, '${NO_END_USER}') as end_user_id, total_cost,
    (sequence = 0)::int as event_count
  from cost_fact where organization_id = :organizationId`;
const sums = (table: string) =>
  `select end_user_id, total_cost, event_count from ${table} where organization_id = :organizationId`;

/** `NO_END_USER` is always included. */
const SUMS_BY_END_USER = `
  with ${lastDay(':organizationId', ':lastDay', ':end')}
  select end_user_id, sum(total_cost) as total_cost, sum(event_count) as event_count
  from (
    ${FACTS} and event_time >= :start::timestamptz and event_time < :firstDay::timestamptz
    union all ${sums('end_user_day')} and bucket >= :firstDay::timestamptz and bucket < :firstMonth::timestamptz
    union all ${sums('end_user_month')} and bucket >= :firstMonth::timestamptz and bucket < :monthsEnd::timestamptz
    union all ${sums('end_user_day')} and bucket >= :monthsEnd::timestamptz and bucket < :lastDay::timestamptz
    union all ${sums('end_user_day')} and bucket = :lastDay::timestamptz and ${IS_LAST_DAY_OVER}
    union all ${FACTS} and event_time >= :lastDay::timestamptz and event_time < :end::timestamptz and not ${IS_LAST_DAY_OVER}
    union all select '${NO_END_USER}', 0, 0
  ) as part
  group by end_user_id`;

interface EndUserCostsInput {
  readonly organizationId: OrganizationId;
  /** The window's six instants by day and month. */
  readonly start: string;
  readonly firstDay: string;
  readonly firstMonth: string;
  readonly monthsEnd: string;
  readonly lastDay: string;
  readonly end: string;
  readonly rowsMax: number;
}

const READ_END_USER_COSTS = statement<EndUserCostRow, EndUserCostsInput>(`
  select coalesce(known.id, cost.end_user_id) as end_user_id, external_id, coalesce(total_cost, 0) as total_cost,
    coalesce(event_count, 0) as event_count
  from (select id, external_id from end_user where organization_id = :organizationId) as known
  full join (${SUMS_BY_END_USER}) as cost on cost.end_user_id = known.id
  limit :rowsMax`);

/** All known end users, with or without costs in the window, and `NO_END_USER`. Unordered, at most `rowsMax` rows. */
export function readEndUserCosts(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
  rowsMax: number,
): Promise<EndUserCostRow[]> {
  const [start, firstDay, firstMonth, monthsEnd, lastWholeDay, end] = splitWindow(window, 'day', 'month');
  return tx.all(READ_END_USER_COSTS, {
    organizationId,
    start,
    firstDay,
    firstMonth,
    monthsEnd,
    lastDay: lastWholeDay,
    end,
    rowsMax,
  });
}

const READ_END_USER_SUMS = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; endUserId: EndUserId; start: string; end: string }>,
  ) => sql<MeasureRow>`
    select ${sql.raw(FACT_SUMS)} from cost_fact
    where organization_id = ${input.organizationId} and end_user_id = ${input.endUserId} and event_time >= ${input.start}::timestamptz and event_time < ${input.end}::timestamptz
    having count(*) > 0`,
);

/** Sums of one end user, from the facts. */
export async function readEndUserSums(
  tx: Transaction,
  organizationId: OrganizationId,
  endUserId: EndUserId,
  window: Window,
): Promise<MeasureRow | null> {
  return tx.first(READ_END_USER_SUMS, { organizationId, endUserId, start: window.start.iso, end: window.end.iso });
}
