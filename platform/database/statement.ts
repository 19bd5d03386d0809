/**
 * Statements that are built once: with Kysely over typed tables, or from SQL text with named parameters. Building one
 * costs as much as running a small one, so it is not done per request.
 */
import type { Compilable, RawBuilder } from 'kysely';
import { prepared, type PreparedSql } from './connections/prepared-sql.ts';
import { type Parameters, Placeholder, placeholders, tables } from './tables.ts';

export type { Parameters } from './tables.ts';

/** A statement with its input and row types. Rows are camelCase. */
export interface Statement<Input, Row> {
  /** SQL with `$1…`, built at first use. */
  readonly text: string;
  /** `text`, or the prepared statement. */
  readonly sql: string | PreparedSql;
  values(input: Input): unknown[];
  readonly isPointRead?: boolean;
  /** Replaces this statement if the database is distributed over several nodes. */
  readonly onSeveralNodes?: Statement<Input, Row>;
  /** Exists only as a type. */
  readonly '~row'?: Row;
}

/** A Kysely builder, or its `sql` template, which uses database column names. */
type Built<Row> = Compilable<Row> | RawBuilder<Row>;

/** A function that builds the statement from placeholders, or SQL text with parameters such as `:organizationId`. */
type Source<Input, Row> = string | ((input: Parameters<Input>) => Built<Row>);

interface SourceByNodes<Input, Row> {
  readonly onOneNode: Source<Input, Row>;
  /** Runs for one organization and names it, so that the coordinator can route it as a whole. */
  readonly onSeveralNodes: Source<Input, Row>;
}

interface StatementOptions {
  /**
   * Each connection parses it once, for statements that run all the time. PostgreSQL may use a generic plan, so the
   * plan should not depend on the parameters.
   */
  readonly isPrepared?: boolean;
  /** Also prepared. Commits the transaction in the same message, so it must be its last statement. */
  readonly commits?: boolean;
  /** Reads a few rows by key: `database.find` batches such statements of one event-loop tick. */
  readonly isPointRead?: boolean;
}

export function statement<Row, Input = Record<never, never>>(
  source: Source<Input, Row> | SourceByNodes<Input, Row>,
  options: StatementOptions = {},
): Statement<Input, Row> {
  if (typeof source === 'object')
    return Object.assign(statement<Row, Input>(source.onOneNode, options), {
      onSeveralNodes: statement<Row, Input>(source.onSeveralNodes, options),
    });
  let compiled: Compiled | undefined;
  const compile = () => (compiled ??= compileSource(source, options));
  return {
    get text() {
      const { sql } = compile();
      return typeof sql === 'string' ? sql : sql.text;
    },
    get sql() {
      return compile().sql;
    },
    values: (input) => compile().values(input as Values),
    isPointRead: options.isPointRead ?? false,
  };
}

type Values = Readonly<Record<string, unknown>>;

interface Compiled {
  readonly sql: string | PreparedSql;
  readonly values: (input: Values) => unknown[];
}

function compileSource<Input, Row>(
  source: Source<Input, Row>,
  { isPrepared = false, commits = false }: StatementOptions,
): Compiled {
  const { text, values } = typeof source === 'string' ? compileText(source) : compileBuilt(source);
  return { sql: isPrepared || commits ? prepared(text, { commits }) : text, values };
}

interface Text {
  readonly text: string;
  readonly values: (input: Values) => unknown[];
}

function compileBuilt<Input, Row>(build: (input: Parameters<Input>) => Built<Row>): Text {
  const { sql, parameters } = build(placeholders<Input>()).compile(tables<never>());
  return {
    text: sql,
    values: (input) => parameters.map((value) => (value instanceof Placeholder ? input[value.name] : value)),
  };
}

/** `:name`, but not the type of a cast (`::uuid`), nor a colon after a word or quote, as in JSON. */
const PARAMETER = /(?<![:\w"']):([a-z]\w*)/g;

function compileText(source: string): Text {
  if (/\$\d/.test(source))
    throw new Error(`Use named parameters (:name) instead of numbered ones in a statement: ${source}`);
  const names: string[] = [];
  const text = source.replaceAll(PARAMETER, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return {
    text,
    values: (input) =>
      names.map((name) => {
        if (input[name] === undefined) throw new Error(`The parameter :${name} of a statement has no value`);
        return input[name];
      }),
  };
}
