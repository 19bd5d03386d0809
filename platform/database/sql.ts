/** SQL by hand: events, entries, facts, rollups and the queue go this way. */
import { CompiledQuery } from 'kysely';
import { camelCaseRows } from './camel-case-rows.ts';
import type { EntityManager } from './open-database.ts';
import type { ReadTransaction } from './read-transactions.ts';

/** Where a statement that reads may go: into a transaction that only reads, or into the ORM's. */
export type Transaction = ReadTransaction | EntityManager;

/** Runs one statement with `$1…` parameters in the current transaction and returns its rows, whose names are camelCase. */
export async function query<Row>(tx: Transaction, text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  if ('read' in tx) return camelCaseRows(await tx.read(text, parameters));
  const result = await tx.getKysely<unknown>().executeQuery<object>(CompiledQuery.raw(text, [...parameters]));
  return camelCaseRows(result.rows);
}

/** The one row of a statement that always gives one. */
export async function queryOne<Row>(tx: Transaction, text: string, parameters: readonly unknown[] = []): Promise<Row> {
  const [row] = await query<Row>(tx, text, parameters);
  if (row === undefined) throw new Error('A statement that always gives a row gave none');
  return row;
}

/**
 * The clock that all processes share, cut to milliseconds; the same throughout a transaction. For whatever one process writes down and
 * another waits for: a process whose own clock is wrong holds nothing back.
 */
export async function databaseTime(em: EntityManager): Promise<Date> {
  const { ms } = await queryOne<{ ms: number }>(em, 'select floor(extract(epoch from now()) * 1000)::float8 as ms');
  return new Date(ms);
}

/** For an operator's work, which may take as long as it takes: the limit on a request's statements no longer holds in this transaction. */
export async function liftTimeLimit(em: EntityManager): Promise<void> {
  await query(em, 'set local statement_timeout = 0');
}

/** Until the end of the transaction no other one holds the lock of this number. */
export async function lockTransaction(em: EntityManager, number: number): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock($1::bigint)', [number]);
}
