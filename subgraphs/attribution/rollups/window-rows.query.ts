/** SQL for the rows that a read over a window adds up. `$1` is the organization, `$2` the rollup key. */
import type { SplitWindow } from '#kernel/time/split-window.ts';
import { MODEL_KEY, PAIR_MARK_SQL, pairOf, TOTAL_KEY, UNASSIGNED } from '../measures/rollup-keys.ts';
import { MODEL_PARTS, MODEL_VALUE, rollupValueOf } from './cost-fact.table.ts';
import { pendingFacts } from './pending-day.table.ts';
import { factMeasure, type MeasureColumn } from '../measures/measure.ts';

/** Columns that a statement reads; other columns are not fetched. */
export type WindowColumn = 'value' | 'at' | MeasureColumn;

/**
 * From rollups: `$3` to `$8` are the window's six `instants` (`splitWindow`). If no fact follows the window in its last
 * hour or day, as in windows that end now, the row of that hour or day is read instead of its facts. Empty parts of the
 * window are left out of the SQL, because planning all parts takes longer than reading a few whole days. So are pending
 * facts, if the organization has none.
 */
export function rollupRows(
  columns: readonly WindowColumn[],
  key: string,
  instants: SplitWindow,
  hasPending = true,
): string {
  const [start, hours, days, daysEnd, hoursEnd, end] = instants;
  const isDayOver = '(select is_day_over from last_unit)';
  const isHourOver = '(select is_hour_over from last_unit)';
  const hasLastUnit = daysEnd !== end;
  const hasLastHour = hoursEnd !== end;
  const parts = [
    start !== hours && partialHour(columns, key, '$3', '$4'),
    hours !== days && wholeUnits(columns, 'rollup_hour', '$4', '$5'),
    days !== daysEnd && wholeUnits(columns, 'rollup_day', '$5', '$6'),
    hasLastUnit && `${oneUnit(columns, 'rollup_day', '$6')} and ${isDayOver}`,
    daysEnd !== hoursEnd && `${wholeUnits(columns, 'rollup_hour', '$6', '$7')} and not ${isDayOver}`,
    hasLastHour && `${oneUnit(columns, 'rollup_hour', '$7')} and ${isHourOver} and not ${isDayOver}`,
    hasPending && pendingRows(columns, key, '$4', hasLastHour ? `(case when ${isHourOver} then $8 else $7 end)` : '$7'),
    hasLastHour && partialHour(columns, key, '$7', '$8', `not ${isHourOver}`),
  ].filter((part) => part !== false);
  const lastUnit = `
    with last_unit as materialized (
      select $6::timestamptz < $8::timestamptz and date_trunc('day', $6::timestamptz, 'UTC') = $6::timestamptz
          and ${noFactsAfter('$1', '$8', 'day')} as is_day_over,
        $7::timestamptz < $8::timestamptz and ${noFactsAfter('$1', '$8', 'hour')} as is_hour_over)`;
  return `(${hasLastUnit ? lastUnit : ''}
    ${parts.join('\n    union all ')})`;
}

/**
 * The query `last_day` of a read by days, whose last, partial day begins at `from`: if no fact follows the window in
 * that day (`IS_LAST_DAY_OVER`), the day's row is read instead of its facts.
 */
export function lastDay(organization: string, from: string, end: string): string {
  return `last_day as materialized (
    select ${from}::timestamptz < ${end}::timestamptz and ${noFactsAfter(organization, end, 'day')} as is_over)`;
}

export const IS_LAST_DAY_OVER = '(select is_over from last_day)';

/** SQL: true if the organization has no facts from the instant `end` to the end of its hour, day or month. */
export function noFactsAfter(organization: string, end: string, unit: 'hour' | 'day' | 'month'): string {
  return `not exists (
    select 1 from cost_fact where organization_id = ${organization} and event_time >= ${end}::timestamptz
      and event_time < date_trunc('${unit}', ${end}::timestamptz, 'UTC') + interval '1 ${unit}')`;
}

/** From facts only: `$3` and `$4` are the window's two instants; `where` holds further conditions on `cost_fact`. */
export function factRows(columns: readonly WindowColumn[], where: string): string {
  const list = columns.map((column) => {
    if (column === 'value') return `${rollupValueOf('$2::text')} as value`;
    return column === 'at' ? 'event_time as at' : factMeasure(column);
  });
  return `(
    select ${list.join(', ')} from cost_fact
    where organization_id = $1 and event_time >= $3::timestamptz and event_time < $4::timestamptz
      and $2::text is not null and ${where})`;
}

type RollupTable = 'rollup_hour' | 'rollup_day';

function wholeUnits(columns: readonly WindowColumn[], table: RollupTable, from: string, to: string): string {
  return `${unitRows(columns, table)} and bucket >= ${from}::timestamptz and bucket < ${to}::timestamptz`;
}

function oneUnit(columns: readonly WindowColumn[], table: RollupTable, start: string): string {
  return `${unitRows(columns, table)} and bucket = ${start}::timestamptz`;
}

function unitRows(columns: readonly WindowColumn[], table: RollupTable): string {
  const list = columns.map((column) => {
    if (column === 'value') return 'dimension_value as value';
    return column === 'at' ? 'bucket::timestamptz as at' : column;
  });
  return `
    select ${list.join(', ')} from ${table} where organization_id = $1 and dimension_key = $2`;
}

/** The facts of one partial hour. Any instant of the hour represents all of them, because buckets never divide an hour. */
function partialHour(
  columns: readonly WindowColumn[],
  key: string,
  from: string,
  to: string,
  condition = 'true',
): string {
  return factSums(
    columns,
    key,
    `from cost_fact
      where organization_id = $1 and event_time >= ${from}::timestamptz and event_time < ${to}::timestamptz and ${condition}`,
    [],
  );
}

/** The facts of whole hours that the rollups do not contain yet. */
function pendingRows(columns: readonly WindowColumn[], key: string, from: string, to: string): string {
  return factSums(
    columns,
    key,
    pendingFacts('$1', '$2', from, to),
    columns.includes('at') ? ["date_trunc('hour', event_time, 'UTC')"] : [],
  );
}

/**
 * The facts of `from`, summed by the parts of the value and by `units`: building thousands of values just to add them
 * up would take longer than the rest of the read.
 */
function factSums(columns: readonly WindowColumn[], key: string, from: string, units: readonly string[]): string {
  const { parts, value } = columns.includes('value') ? valueParts(key) : { parts: [], value: '' };
  const sums = columns.flatMap((column) => {
    if (column === 'value') return [];
    if (column === 'at') return ['min(event_time) as at'];
    return [
      column === 'event_count' ? 'count(*) filter (where sequence = 0) as event_count' : `sum(${column}) as ${column}`,
    ];
  });
  const list = columns.map((column) => {
    if (column === 'value') return `${value} as value`;
    if (column === 'at') return 'at::timestamptz as at';
    return column === 'event_count' ? 'event_count' : `${column}::numeric as ${column}`;
  });
  const groups = [...parts.map((_, index) => index + 1), ...units];
  return `
    select ${list.join(', ')} from (
      select ${[...parts, ...sums].join(', ')} ${from}
      ${groups.length > 0 ? `group by ${groups.join(', ')}` : ''} having count(*) > 0
    ) as part`;
}

interface ValueParts {
  readonly parts: readonly string[];
  readonly value: string;
}

/** Equal parts produce equal values, the same as from `rollupValueOf`. */
function valueParts(key: string): ValueParts {
  if (key === TOTAL_KEY) return { parts: [], value: "''" };
  const pair = pairOf(key);
  if (pair === null) return partsOfOne(key, '$2::text', 'part');
  const [first, second] = pair.map((name, index) =>
    partsOfOne(name, `split_part($2::text, ${PAIR_MARK_SQL}, ${index + 2})`, `part_${index}`),
  ) as [ValueParts, ValueParts];
  return {
    parts: [...first.parts, ...second.parts],
    value: `jsonb_build_array(${first.value}, ${second.value})::text`,
  };
}

/** `name` is SQL for the key; `part` is the alias of its value until it is built. */
function partsOfOne(key: string, name: string, part: string): ValueParts {
  return key === MODEL_KEY
    ? { parts: MODEL_PARTS, value: MODEL_VALUE }
    : { parts: [`dimensions ->> ${name} as ${part}`], value: `coalesce(${part}, '${UNASSIGNED}')` };
}
