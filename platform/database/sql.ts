/** Executes SQL texts with `$1…` parameters, and statements about the transaction itself. */
import type { PreparedSql } from './connections/prepared-sql.ts';
import type { Transaction, WriteTransaction } from './transaction.ts';

/** Adds a parameter to a statement that is being built, and returns its placeholder. */
export type AddParameter = (value: unknown) => string;

/** Runs one statement with `$1…` parameters and returns its rows with camelCase names. */
export async function query<Row>(
  tx: Transaction,
  sql: string | PreparedSql,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  return (await tx.send(sql, parameters)) as Row[];
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
export async function databaseTime(tx: WriteTransaction): Promise<Date> {
  const { ms } = await queryOne<{ ms: number }>(tx, 'select floor(extract(epoch from now()) * 1000)::float8 as ms');
  return new Date(ms);
}

/** Removes the statement timeout in this transaction, for operators' commands. */
export async function liftTimeLimit(tx: WriteTransaction): Promise<void> {
  await query(tx, 'set local statement_timeout = 0');
}
