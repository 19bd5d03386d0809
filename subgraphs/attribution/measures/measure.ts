/**
 * The figures that every breakdown adds up, and how each source of rows gives them. All sums are `numeric`, and exact.
 */
import { p } from '@mikro-orm/core';

/** A sum that started as a whole number or an amount; PostgreSQL keeps every digit. */
const sumColumn = () => p.decimal().columnType('numeric');

/** Properties of a rollup's row. Null says that no one reported the class. */
export const measureProperties = {
  inputTokens: sumColumn(),
  outputTokens: sumColumn(),
  cacheCreationInputTokens: sumColumn().nullable(),
  cacheReadInputTokens: sumColumn().nullable(),
  reasoningTokens: sumColumn().nullable(),
  totalCost: sumColumn(),
  inputCost: sumColumn(),
  outputCost: sumColumn(),
  cacheCreationCost: sumColumn().nullable(),
  cacheReadCost: sumColumn().nullable(),
  reasoningCost: sumColumn().nullable(),
  eventCount: p.bigint(),
};

/** Columns that facts and rollups share. */
export const AMOUNT_COLUMNS = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'reasoning_tokens',
  'total_cost',
  'input_cost',
  'output_cost',
  'cache_creation_cost',
  'cache_read_cost',
  'reasoning_cost',
] as const;

/** All columns of a rollup's row. */
export const MEASURE_COLUMNS = [...AMOUNT_COLUMNS, 'event_count'] as const;
export type MeasureColumn = (typeof MEASURE_COLUMNS)[number];

/** Select list of a rollup's columns as they are. */
export const MEASURES = MEASURE_COLUMNS.join(', ');

/**
 * One of the columns of a fact, of the rollup's type: PostgreSQL then reads no column that a statement over both leaves
 * out. Only an event's first entry counts as an event.
 */
export function factMeasure(column: MeasureColumn): string {
  return column === 'event_count' ? '(sequence = 0)::int::bigint as event_count' : `${column}::numeric as ${column}`;
}

/** All columns of a fact. */
export const FACT_MEASURES = MEASURE_COLUMNS.map(factMeasure).join(', ');

/** Sums over facts. Amounts are added as they lie; only an event's first entry counts as an event. */
export const FACT_SUMS = MEASURE_COLUMNS.map((column) =>
  column === 'event_count'
    ? 'count(*) filter (where sequence = 0) as event_count'
    : `sum(${column})::numeric as ${column}`,
).join(', ');

/** Sums over rows of either. The sum of nulls is null. */
function sumsOf(columns: readonly MeasureColumn[]): string {
  return columns.map((column) => `sum(${column})::numeric as ${column}`).join(', ');
}

export const MEASURE_SUMS = sumsOf(MEASURE_COLUMNS);

/** What a line of a trend or of a list needs. */
export const COST_COLUMNS = ['total_cost', 'event_count'] as const;
export const COST_SUMS = sumsOf(COST_COLUMNS);

/** `set` list that adds a row to the one that is there; what no one reported stays null. */
export function addMeasures(table: string, columns: readonly string[] = MEASURE_COLUMNS): string {
  return columns
    .map(
      (column) =>
        `${column} = coalesce(${table}.${column} + excluded.${column}, ${table}.${column}, excluded.${column})`,
    )
    .join(', ');
}

/** Sums as they come from PostgreSQL: decimals in text. */
export interface MeasureRow {
  readonly inputTokens: string;
  readonly outputTokens: string;
  readonly cacheCreationInputTokens: string | null;
  readonly cacheReadInputTokens: string | null;
  readonly reasoningTokens: string | null;
  readonly totalCost: string;
  readonly inputCost: string;
  readonly outputCost: string;
  readonly cacheCreationCost: string | null;
  readonly cacheReadCost: string | null;
  readonly reasoningCost: string | null;
  readonly eventCount: string;
}
