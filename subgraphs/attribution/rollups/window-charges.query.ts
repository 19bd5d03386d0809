/**
 * SQL for the charges of a window: facts for the partial days, then the sums and the pending facts of whole days, in one
 * statement and so from one snapshot.
 */
import { wholeUnits } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';
import type { AddParameter } from '#platform/database/sql.ts';
import { chargeRows } from './charge-day.table.ts';
import { NO_KEY, pendingFacts } from './pending-day.table.ts';
import { IS_LAST_DAY_OVER, lastDay } from './window-rows.query.ts';

/**
 * SQL for `columns` of all charges of the organization `$1`, in several rows for each key. Pending facts are left out
 * of the SQL if the organization has none: planning them takes longer than reading the days.
 */
export function chargesOfWindow(
  window: Window,
  names: readonly string[],
  place: AddParameter,
  hasPending: boolean,
): string {
  const days = wholeUnits(window, 'day');
  const [start, from, until, end] = [window.start.iso, days.start.iso, days.end.iso, window.end.iso].map(place);
  const columns = names.join(', ');
  const wholeEnd = `(case when ${IS_LAST_DAY_OVER} then ${end} else ${until} end)`;
  return `
    with ${lastDay('$1', until!, end!)}
    select ${columns} from (${chargeRows(factsBetween(start!, from!))}) as first
    union all select ${columns} from charge_day
      where organization_id = $1 and bucket >= ${from}::timestamptz and bucket < ${wholeEnd}::timestamptz
    ${hasPending ? `union all select ${columns} from (${chargeRows(`(select fact.* ${pendingFacts('$1', NO_KEY, from!, wholeEnd)})`)}) as pending` : ''}
    union all select ${columns} from (${chargeRows(factsBetween(until!, end!, [`not ${IS_LAST_DAY_OVER}`]))}) as last`;
}

/** SQL for the facts of the organization `$1` between two instants. */
export function factsBetween(start: string, end: string, where: readonly string[] = []): string {
  const isOf = ['organization_id = $1', `event_time >= ${start}::timestamptz`, `event_time < ${end}::timestamptz`];
  return `(select * from cost_fact where ${[...isOf, ...where].join(' and ')})`;
}
