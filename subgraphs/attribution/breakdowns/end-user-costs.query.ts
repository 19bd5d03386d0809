/** Sums by end user between any two instants, in one statement. */
import type { EndUserId, OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { Window } from '#kernel/time/window.ts';
import { NO_END_USER } from '../rollups/end-user-day.table.ts';
import { endUserInstants, type EndUserInstants, endUserRows } from '../rollups/end-user-rows.query.ts';
import { FACT_SUMS, type MeasureRow } from '../measures/measure.ts';

export interface EndUserCostRow {
  /** `NO_END_USER` for events that name none. */
  readonly endUserId: EndUserId;
  readonly externalId: string | null;
  readonly totalCost: string;
  readonly eventCount: string;
}

const ROWS = endUserRows({
  organization: ':organizationId',
  instants: {
    start: ':start',
    firstDay: ':firstDay',
    firstMonth: ':firstMonth',
    monthsEnd: ':monthsEnd',
    lastDay: ':lastDay',
    end: ':end',
  },
});

interface EndUserCostsInput extends EndUserInstants {
  readonly organizationId: OrganizationId;
  readonly rowsMax: number;
}

const READ_END_USER_COSTS = statement<EndUserCostRow, EndUserCostsInput>(`
  select coalesce(known.id, cost.end_user_id) as end_user_id, external_id, coalesce(total_cost, 0) as total_cost,
    coalesce(event_count, 0) as event_count
  from (select id, external_id from end_user where organization_id = :organizationId) as known
  full join (
    select end_user_id, sum(total_cost) as total_cost, sum(event_count) as event_count
    from (select * from ${ROWS} as part union all select '${NO_END_USER}', null, 0, 0) as part
    group by end_user_id
  ) as cost on cost.end_user_id = known.id
  limit :rowsMax`);

/** All known end users, with or without costs in the window, and `NO_END_USER`. Unordered, at most `rowsMax` rows. */
export function readEndUserCosts(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
  rowsMax: number,
): Promise<EndUserCostRow[]> {
  return tx.all(READ_END_USER_COSTS, { organizationId, ...endUserInstants(window), rowsMax });
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
