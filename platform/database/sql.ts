/** SQL by hand inside the ORM's transaction: events, entries, facts, rollups and the queue go this way. */
import { CompiledQuery } from 'kysely';
import type { EntityManager } from './open-database.ts';

/** Runs one statement with `$1…` parameters in the current transaction and returns its rows as PostgreSQL names them. */
export async function query<Row>(em: EntityManager, text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const result = await em.getKysely<unknown>().executeQuery<Row>(CompiledQuery.raw(text, [...parameters]));
  return result.rows;
}

/** The one row of a statement that always gives one. */
export async function queryOne<Row>(em: EntityManager, text: string, parameters: readonly unknown[] = []): Promise<Row> {
  const [row] = await query<Row>(em, text, parameters);
  if (row === undefined) throw new Error('A statement that always gives a row gave none');
  return row;
}
