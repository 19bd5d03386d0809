/** Migrates one database to the latest schema, one process at a time. */
import { LOCKS } from '../locks.ts';
import { renameExecutedMigrations } from './migration-history.ts';
import { runEarlierMigrations } from './earlier-migrations.ts';
import type pg from 'pg';
import { StartError } from '../../start-error.ts';
import { isRestoreUnfinished } from '../backup/restore-mark.ts';
import { createRoles, grantRoles, withClient } from '../prepare-database.ts';
import type { Database } from '../open-database.ts';
import { withoutReportViews } from '../sql-access/report-views.ts';

/**
 * Runs pending migrations under an advisory lock, replaces the views for SQL tools if they have changed, and grants
 * missing privileges, because an earlier start may have died in between or a restore may lack them. Throws a
 * {@link StartError} if the database is newer than this version or a restore is incomplete. Returns the number of
 * migrations run.
 */
export async function migrate(database: Database): Promise<number> {
  return withClient(database.target, async (client) => {
    await createRoles(client, database.name);
    await client.query('select pg_advisory_lock($1)', [LOCKS.migrations]);
    await requireWholeRestore(client, database.name);
    await renameExecutedMigrations(client, database.migrationHistory);
    await requireNoNewerSchema(client, database);
    await runEarlierMigrations(client, database);
    const done = await withoutReportViews(client, database, () => database.orm.migrator.up());
    await grantRoles(client, database.name);
    return done.length;
  });
}

async function requireWholeRestore(client: pg.Client, name: string): Promise<void> {
  if (await isRestoreUnfinished(client))
    throw new StartError(`A restore of database ${name} has not finished: run \`admin restore\` with its folder again`);
}

/**
 * Data of a later version may have another meaning: this version would misread it, and write data that the later one
 * cannot read.
 */
async function requireNoNewerSchema(
  client: pg.Client,
  { name, migrationHistory, earlierMigrations }: Database,
): Promise<void> {
  const known = [...earlierMigrations.map((migration) => migration.name), ...Object.keys(migrationHistory.migrations)];
  const {
    rows: [state],
  } = await client.query<{ exists: boolean }>("select to_regclass('mikro_orm_migrations') is not null as exists");
  if (!state?.exists || known.length === 0) return;
  const { rows } = await client.query<{ name: string }>(
    'select name from mikro_orm_migrations where name <> all($1) order by id',
    [known],
  );
  if (rows.length > 0)
    throw new StartError(
      `Database ${name} was migrated by a newer version (migration ${rows.map((row) => row.name).join(', ')}): start that version, or restore a backup of this one`,
    );
}
