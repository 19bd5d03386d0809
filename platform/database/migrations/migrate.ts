/** Brings one database to the newest schema, one process at a time. */
import { renameExecutedMigrations } from './migration-history.ts';
import { createRoles, grantRoles, withClient } from '../prepare-database.ts';
import type { Database } from '../open-database.ts';

const MIGRATION_LOCK = 727_000;

/**
 * Runs pending migrations under an advisory lock, and gives the roles what they lack: a start that died between the two, or a
 * restore without privileges, must not lock the service out. Returns how many migrations ran.
 */
export async function migrate(database: Database): Promise<number> {
  await createRoles(database.target, database.name);
  return withClient(database.target, async (client) => {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await renameExecutedMigrations(database.target, database.migrationHistory);
    const done = await database.orm.migrator.up();
    await grantRoles(client, database.name);
    return done.length;
  });
}
