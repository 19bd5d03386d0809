/**
 * SQL for the rows that a read of end users' costs adds up. Whole months have the fewest rows, so a window from
 * 3 October to 29 November is read as October and November, minus the first two days of October and the last two of
 * November. Facts are read only for the partial days.
 */
import { nextUnitStart, unitStart } from '#kernel/time/calendar.ts';
import { instantAt, microsOf } from '#kernel/time/instant.ts';
import { wholeUnits } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';
import { NO_END_USER } from './end-user-day.table.ts';
import { noFactsAfter } from './window-rows.query.ts';

/**
 * Instants as text. `firstMonth` and `monthsEnd` are the boundaries of months nearest to `firstDay` and `lastDay`; if no
 * month is read, both are `lastDay`.
 */
export interface EndUserInstants {
  readonly start: string;
  readonly firstDay: string;
  readonly firstMonth: string;
  readonly monthsEnd: string;
  readonly lastDay: string;
  readonly end: string;
}

/** In a large organization, a month has about as many rows as an eighth of its days. */
const DAYS_PER_ROWS_OF_MONTH = 8n;

/** `isDated`: true if the days of a month must be distinguished. */
export function endUserInstants(window: Window, isDated = false): EndUserInstants {
  const days = wholeUnits(window, 'day');
  const [first, last] = [microsOf(days.start), microsOf(days.end)];
  const [firstMonth, monthsEnd] = [nearestMonth(first), nearestMonth(last)];
  const corrected = distance(firstMonth, first) + distance(monthsEnd, last);
  const readsMonths = !isDated && corrected + (monthsEnd - firstMonth) / DAYS_PER_ROWS_OF_MONTH < last - first;
  return {
    start: window.start.iso,
    firstDay: days.start.iso,
    firstMonth: readsMonths ? instantAt(firstMonth).iso : days.end.iso,
    monthsEnd: readsMonths ? instantAt(monthsEnd).iso : days.end.iso,
    lastDay: days.end.iso,
    end: window.end.iso,
  };
}

/** The nearest start of a month before the year 10,000, which no instant reaches. */
function nearestMonth(micros: bigint): bigint {
  const start = unitStart(micros, 'month');
  const next = nextUnitStart(start, 'month');
  return next < END_OF_TIME && next - micros < micros - start ? next : start;
}

const END_OF_TIME = BigInt(Date.UTC(10_000, 0, 1)) * 1000n;

function distance(one: bigint, other: bigint): bigint {
  return one < other ? other - one : one - other;
}

interface EndUserRowsInput {
  /** Placeholder of the organization. */
  readonly organization: string;
  /** Placeholders of the instants. */
  readonly instants: EndUserInstants;
  /** Conditions on facts, where null means no end user. */
  readonly onFacts?: readonly string[];
  /** The same conditions on sums, where the nil UUID means no end user. */
  readonly onSums?: readonly string[];
}

/**
 * Rows of `end_user_id`, `at`, `total_cost` and `event_count`, which may be negative. If no fact follows the window in
 * its last month or day, as in windows that end now, the row of that month or day is read as it is.
 */
export function endUserRows({ organization, instants, onFacts = [], onSums = [] }: EndUserRowsInput): string {
  const { start, firstDay, firstMonth, monthsEnd, lastDay, end } = instants;
  const isDayOver = '(select is_day_over from last_unit)';
  const isMonthOver = '(select is_month_over from last_unit)';
  const facts = (from: string, to: string) => `
    select coalesce(end_user_id, '${NO_END_USER}') as end_user_id, event_time as at, total_cost::numeric,
      (sequence = 0)::int::bigint as event_count
    from cost_fact where ${allOf(`organization_id = ${organization}`, between('event_time', from, to), ...onFacts)}`;
  const sums = (table: 'end_user_day' | 'end_user_month', when: string, sign: '' | '-' = '') => `
    union all select end_user_id, bucket, ${sign}total_cost, ${sign}event_count
    from ${table} where ${allOf(`organization_id = ${organization}`, when, ...onSums)}`;
  return `(
    with last_unit as materialized (
      select ${lastDay}::timestamptz < ${end}::timestamptz and ${noFactsAfter(organization, end, 'day')} as is_day_over,
        ${end}::timestamptz < ${monthsEnd}::timestamptz and ${noFactsAfter(organization, end, 'month')} as is_month_over)
    ${facts(start, firstDay)}
    ${sums('end_user_day', between('bucket', firstDay, firstMonth))}
    ${sums('end_user_day', between('bucket', firstMonth, firstDay), '-')}
    ${sums('end_user_month', between('bucket', firstMonth, monthsEnd))}
    ${sums('end_user_day', between('bucket', monthsEnd, lastDay))}
    ${sums('end_user_day', `${between('bucket', lastDay, monthsEnd)} and not ${isMonthOver}`, '-')}
    ${sums('end_user_day', `bucket = ${lastDay}::timestamptz and ${isDayOver} and not ${isMonthOver}`)}
    union all ${facts(lastDay, end)} and not ${isDayOver} and not ${isMonthOver})`;
}

function allOf(...conditions: string[]): string {
  return conditions.join(' and ');
}

function between(column: string, from: string, to: string): string {
  return `${column} >= ${from}::timestamptz and ${column} < ${to}::timestamptz`;
}
