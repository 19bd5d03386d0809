/** Empties the database of a test, so that it is like a new copy of its template for the next one. */
import type { Database } from '#platform/database/open-database.ts';

export interface Reusable extends Database {
  /** The database's definitions (tables, triggers, policies and so on) when it was a new copy. */
  readonly outline: string;
}

/** Rows of a table with migrations stay. Changed rows of a catalog have another `xmin`. */
const KEPT = 'mikro_orm_migrations';
const CATALOGS = `class attribute attrdef constraint trigger policy rewrite proc namespace extension`.split(' ');
const OUTLINE = [KEPT, ...CATALOGS.map((name) => `pg_${name}`)]
  .map((table) => `(select count(*) || ':' || coalesce(sum(xmin::text::bigint), 0) from ${table})`)
  .join(` || ' ' || `);

/** A larger database is not worth emptying, since its files would keep their size. */
const BYTES_MAX = 16 * 1024 * 1024;

const STATE = `select ${OUTLINE} as outline,
  pg_database_size(current_database()) < ${BYTES_MAX}
  and not exists (select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle')
  and not exists (select from pg_locks join pg_database d on d.oid = pg_locks.database
    where d.datname = current_database() and locktype = 'advisory') as "isQuiet"`;

/** Turns triggers and foreign keys off, so that the order of tables does not matter. */
const DELETE_ROWS = `do $$
declare
  name text;
begin
  set local session_replication_role = replica;
  for name in
    select oid::regclass::text from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> '${KEPT}' and pg_relation_size(oid) > 0
  loop
    execute 'delete from ' || name;
  end loop;
end $$`;

export async function reusable(database: Database): Promise<Reusable> {
  const { outline } = await stateOf(database);
  return { ...database, outline };
}

/**
 * Deletes all rows. Returns false if the database must not be used again, because its definitions differ from those of
 * a new copy, or because it is large or still in use.
 */
export async function deleteRows(database: Reusable): Promise<boolean> {
  try {
    const { outline, isQuiet } = await stateOf(database);
    if (!isQuiet || outline !== database.outline) return false;
    await run(database, DELETE_ROWS);
    return true;
  } catch {
    // The test has ended its connections.
    return false;
  }
}

async function stateOf(database: Database): Promise<{ outline: string; isQuiet: boolean }> {
  const [state] = await run<{ outline: string; isQuiet: boolean }>(database, STATE);
  if (!state) throw new Error('A query without rows');
  return state;
}

function run<Row>({ orm }: Database, sql: string): Promise<Row[]> {
  return orm.em.getConnection().execute<Row[]>(sql);
}
