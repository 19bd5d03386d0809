/**
 * The figures that every breakdown adds up, and how each source of rows provides them. All sums are `numeric` and
 * exact.
 */
import { p } from '@mikro-orm/core';
import {
  byCost,
  type ByCost,
  byTokens,
  type ByTokens,
  costOf,
  COUNTED_CLASSES,
  type CountedClass,
  isRequired,
  tokensOf,
  wireName,
} from '#schema/token-classes.ts';

/** A sum of whole numbers or amounts; PostgreSQL keeps every digit. */
const sumColumn = () => p.decimal().columnType('numeric');

const stated = () => sumColumn();
const perhapsStated = () => sumColumn().nullable();
type Stated = ReturnType<typeof stated>;
type PerhapsStated = ReturnType<typeof perhapsStated>;
const sumOf = (name: CountedClass) => (isRequired(name) ? stated() : perhapsStated());

/** Properties of a rollup row. Null: no event reported the class. */
export const measureProperties = {
  ...byTokens<Stated, PerhapsStated>(sumOf),
  totalCost: sumColumn(),
  ...byCost<Stated, PerhapsStated>(sumOf),
  eventCount: p.bigint(),
};

/** Columns that facts and rollups share. */
export const AMOUNT_COLUMNS = [
  ...COUNTED_CLASSES.map(tokensOf),
  'totalCost' as const,
  ...COUNTED_CLASSES.map(costOf),
].map((name) => wireName(name));

/** All columns of a rollup row. */
export const MEASURE_COLUMNS = [...AMOUNT_COLUMNS, 'event_count'] as const;
export type MeasureColumn = (typeof MEASURE_COLUMNS)[number];

/** Select list of the rollup columns. */
export const MEASURES = MEASURE_COLUMNS.join(', ');

/**
 * A column of a fact, cast to the type of the rollup's column. PostgreSQL then skips columns that a statement over
 * both does not use. Only an event's first entry counts as an event.
 */
export function factMeasure(column: MeasureColumn): string {
  return column === 'event_count' ? '(sequence = 0)::int::bigint as event_count' : `${column}::numeric as ${column}`;
}

/** Sums over facts. Amounts are added in their stored type; only an event's first entry counts as an event. */
export const FACT_SUMS = MEASURE_COLUMNS.map((column) =>
  column === 'event_count'
    ? 'count(*) filter (where sequence = 0) as event_count'
    : `sum(${column})::numeric as ${column}`,
).join(', ');

/** Sums over rows of facts or rollups. The sum of nulls is null. */
export function sumsOf(columns: readonly MeasureColumn[]): string {
  return columns.map((column) => `sum(${column})::numeric as ${column}`).join(', ');
}

export const MEASURE_SUMS = sumsOf(MEASURE_COLUMNS);

/** Tokens by class. */
export const TOKEN_COLUMNS = COUNTED_CLASSES.map((name) => wireName(tokensOf(name)));

/** Columns for a line of a trend or list. */
export const COST_COLUMNS = ['total_cost', 'event_count'] as const;
export const COST_SUMS = sumsOf(COST_COLUMNS);

/** `set` list that adds the new row to the existing one. A class that neither reported stays null. */
export function addMeasures(table: string, columns: readonly string[] = MEASURE_COLUMNS): string {
  return columns
    .map(
      (column) =>
        `${column} = coalesce(${table}.${column} + excluded.${column}, ${table}.${column}, excluded.${column})`,
    )
    .join(', ');
}

/** Sums as PostgreSQL returns them: decimals as text. */
export interface MeasureRow extends ByTokens<string, string | null>, ByCost<string, string | null> {
  readonly totalCost: string;
  readonly eventCount: string;
}
