/**
 * Statements that are built once, with Kysely over typed tables or in SQL, and named placeholders. Building one costs
 * as much as running a small one, so it is not done per request.
 */
import type { Compilable, RawBuilder } from 'kysely';
import { type Parameters, Placeholder, placeholders, tables } from './tables.ts';

export type { Parameters } from './tables.ts';

/** A statement with its input and row types. Rows are camelCase. */
export interface Statement<Input, Row> {
  /** SQL with `$1…`, built at first use. */
  readonly text: string;
  values(input: Input): unknown[];
  /** Type only. */
  readonly '~row'?: Row;
}

/** A Kysely builder, or its `sql` template, which uses database column names. */
export type Built<Row> = Compilable<Row> | RawBuilder<Row>;

export function statement<Row, Input = Record<never, never>>(
  build: (input: Parameters<Input>) => Built<Row>,
): Statement<Input, Row> {
  let compiled: { readonly sql: string; readonly parameters: readonly unknown[] } | undefined;
  const compile = () => (compiled ??= build(placeholders<Input>()).compile(tables<never>()));
  return {
    get text() {
      return compile().sql;
    },
    values: (input) =>
      compile().parameters.map((value) =>
        value instanceof Placeholder ? (input as Readonly<Record<string, unknown>>)[value.name] : value,
      ),
  };
}
