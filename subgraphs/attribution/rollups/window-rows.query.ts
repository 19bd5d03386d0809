/** SQL for the rows that a read over a window adds up. `$1` is the organization, `$2` the rollup key. */
import { MODEL_KEY, PAIR_MARK_SQL, pairOf, TOTAL_KEY, UNASSIGNED } from '../measures/rollup-keys.ts';
import { MODEL_PARTS, MODEL_VALUE, rollupValueOf } from './cost-fact.table.ts';
import { factMeasure, type MeasureColumn } from '../measures/measure.ts';

/** Columns that a statement reads; other columns are not fetched. */
export type WindowColumn = 'value' | 'at' | MeasureColumn;

/** From rollups: `$3` to `$8` are the window's six instants (`splitWindow`). */
export function rollupRows(columns: readonly WindowColumn[], key: string): string {
  return `(
    ${partialHour(columns, key, '$3', '$4')}
    union all ${wholeUnits(columns, 'rollup_hour', '$4', '$5')}
    union all ${wholeUnits(columns, 'rollup_day', '$5', '$6')}
    union all ${wholeUnits(columns, 'rollup_hour', '$6', '$7')}
    union all ${partialHour(columns, key, '$7', '$8')})`;
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

function wholeUnits(
  columns: readonly WindowColumn[],
  table: 'rollup_hour' | 'rollup_day',
  from: string,
  to: string,
): string {
  const list = columns.map((column) => {
    if (column === 'value') return 'dimension_value as value';
    return column === 'at' ? 'bucket::timestamptz as at' : column;
  });
  return `
    select ${list.join(', ')} from ${table}
    where organization_id = $1 and dimension_key = $2 and bucket >= ${from}::timestamptz and bucket < ${to}::timestamptz`;
}

/**
 * The facts of one partial hour, summed by the parts of the value: building thousands of values just to add them up
 * would take longer than the rest of the read. Any instant of the hour represents all of them, because buckets never
 * divide an hour.
 */
function partialHour(columns: readonly WindowColumn[], key: string, from: string, to: string): string {
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
  return `
    select ${list.join(', ')} from (
      select ${[...parts, ...sums].join(', ')} from cost_fact
      where organization_id = $1 and event_time >= ${from}::timestamptz and event_time < ${to}::timestamptz
      ${parts.length > 0 ? `group by ${parts.map((_, index) => index + 1).join(', ')}` : ''} having count(*) > 0
    ) as partial_hour`;
}

interface ValueParts {
  readonly parts: readonly string[];
  readonly value: string;
}

/** Equal parts produce equal values. The value is that of `rollupValueOf`. */
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
