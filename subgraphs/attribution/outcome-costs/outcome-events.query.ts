/** Facts that may belong to outcomes, and how many of them one read looks up. */
import { queryOne } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { fail } from '#kernel/errors.ts';
import { OUTCOME_FACTS_MAX } from '../config.ts';
import { taskOf } from '../outcomes/owner.query.ts';

const COLUMNS = [
  'event_id',
  'sequence',
  'event_time',
  'total_cost',
  'model_slug',
  'end_user_id',
  'session_id',
  'dimensions',
  'organization_id',
];
export const FACT_COLUMNS = COLUMNS.join(', ');

/**
 * SQL for the facts of the outcomes' tasks and sessions, and for the facts kept for the outcomes. `outcomes` is the
 * name of a query, and `$1` the organization. A fact is returned at most once for its task, once for its session and
 * once if it is kept.
 */
export function eventsOf(outcomes: string): string {
  return [
    `(select distinct task from ${outcomes}) o join cost_fact f on f.organization_id = $1 and ${taskOf('f')} = o.task`,
    `(select distinct session from ${outcomes} where task is null) o
      join cost_fact f on f.organization_id = $1 and f.session_id = o.session`,
    `${outcomes} o join outcome_event kept on kept.organization_id = $1 and kept.key = o.key
      join cost_fact f on f.organization_id = $1 and f.event_id = kept.event_id`,
  ]
    .map((from) => `select ${COLUMNS.map((column) => `f.${column}`).join(', ')} from ${from}`)
    .join(' union all ');
}

/**
 * Fails with `UNPROCESSABLE_ENTITY` if `eventsOf` would return too many facts. `outcomes` is a `select` from `outcome`;
 * the first of its parameters is the organization.
 */
export async function refuseTooManyEvents(
  tx: Transaction,
  outcomes: string,
  parameters: readonly unknown[],
  max = OUTCOME_FACTS_MAX,
): Promise<void> {
  const { events } = await queryOne<{ events: number }>(
    tx,
    `with wanted as materialized (${outcomes})
    select count(*)::int as events from (select 1 from (${eventsOf('wanted')}) as f limit ${max + 1}) as counted`,
    parameters,
  );
  if (events > max)
    fail(
      'UNPROCESSABLE_ENTITY',
      `The tasks and sessions of these outcomes have more than ${max} events, which is the maximum: read fewer outcomes at once`,
    );
}
