/** Executes hand-written SQL: events, entries, facts, rollups and the queue. */
import { CompiledQuery } from 'kysely';
import { camelCase } from './camel-case.ts';
import type { PreparedQuery } from './connections/kysely-dialect.ts';
import type { PreparedSql } from './connections/prepared-sql.ts';
import type { EntityManager } from './open-database.ts';
import type { ReadTransaction } from './read-transactions.ts';

/** Where a reading statement may run: in a read transaction or in one of the ORM. */
export type Transaction = ReadTransaction | EntityManager;

/** Runs one statement with `$1…` parameters in the current transaction and returns its rows with camelCase names. */
export async function query<Row>(
  tx: Transaction,
  sql: string | PreparedSql,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const text = typeof sql === 'string' ? sql : sql.text;
  if ('read' in tx) return (await tx.read(text, parameters)) as Row[];
  const compiled: PreparedQuery = {
    ...CompiledQuery.raw(text, [...parameters]),
    ...(typeof sql === 'string' ? {} : { prepared: sql }),
  };
  const result = await tx.getKysely<unknown>().executeQuery<object>(compiled);
  return camelCaseRows(result.rows);
}

/** The row of a statement that always returns one. */
export async function queryOne<Row>(
  tx: Transaction,
  sql: string | PreparedSql,
  parameters: readonly unknown[] = [],
): Promise<Row> {
  const [row] = await query<Row>(tx, sql, parameters);
  if (row === undefined) throw new Error('Expected one row, got none');
  return row;
}

/**
 * The database's clock, truncated to milliseconds and constant in a transaction. For times that one process writes and
 * another waits for, so that a wrong local clock delays nothing.
 */
export async function databaseTime(em: EntityManager): Promise<Date> {
  const { ms } = await queryOne<{ ms: number }>(em, 'select floor(extract(epoch from now()) * 1000)::float8 as ms');
  return new Date(ms);
}

/** Removes the statement timeout in this transaction, for operators' commands. */
export async function liftTimeLimit(em: EntityManager): Promise<void> {
  await query(em, 'set local statement_timeout = 0');
}

interface Shape {
  readonly names: readonly string[];
  /** Null if no name has to be changed. */
  readonly empty: Readonly<Record<string, unknown>> | null;
}

/** Cache by columns of a result. There are far fewer statements than this limit. */
const shapes = new Map<string, Shape>();
const SHAPES_MAX = 1_000;

/**
 * Renames columns to camelCase. Values, including JSON, are unchanged. Names are computed once per set of columns;
 * rows whose names need no change are returned as they are.
 */
export function camelCaseRows<Row>(rows: readonly object[]): Row[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first);
  const { names, empty } = shapeOf(columns);
  if (empty === null) return rows as Row[];
  return rows.map((row) => {
    // Copies of one object share its hidden class: assigning to them is fast.
    const renamed = { ...empty };
    for (let index = 0; index < columns.length; index++) {
      renamed[names[index]!] = (row as Record<string, unknown>)[columns[index]!];
    }
    return renamed as Row;
  });
}

function shapeOf(columns: readonly string[]): Shape {
  const key = columns.join();
  const known = shapes.get(key);
  if (known !== undefined) return known;
  const names = columns.map(camelCase);
  const isRight = columns.every((column, index) => column === names[index]);
  const shape = { names, empty: isRight ? null : Object.fromEntries(names.map((name) => [name, null])) };
  if (shapes.size < SHAPES_MAX) shapes.set(key, shape);
  return shape;
}
