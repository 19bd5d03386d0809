/** Opens the databases of a process and brings them up to date. */
import type { Config } from '../platform/config.ts';
import { migrate } from '../platform/database/migrations/migrate.ts';
import type { Database } from '../platform/database/open-database.ts';
import { openSubgraphDatabase, type SubgraphDefinition } from '../platform/subgraph/subgraph.ts';
import { queryOne } from '../platform/database/sql.ts';
import { type DatabaseServers, endWithoutDatabase, locateDatabases } from './locate-databases.ts';

export interface Databases {
  readonly of: Readonly<Partial<Record<string, Database>>>;
  close(): Promise<void>;
}

/**
 * Opens, creates where missing and migrates the databases of these subgraphs. Throws a {@link StartError} with a sentence
 * for each database whose server cannot be used or is too old; nothing is changed anywhere then. `locating`: their servers, where
 * these are being started already; they are closed with the databases.
 */
export async function openDatabases(
  definitions: readonly SubgraphDefinition[],
  config: Config,
  progress: (message: string) => void,
  locating: Promise<DatabaseServers> = locateDatabases(
    definitions.map(({ name }) => name),
    config,
    { progress, onLost: endWithoutDatabase },
  ),
): Promise<Databases> {
  const servers = await locating;
  const opened: Database[] = [];
  try {
    const openings = await Promise.allSettled(
      definitions.map(async (definition) => {
        const database = await openSubgraphDatabase(definition, await servers.targetOf(definition.name), config);
        opened.push(database);
        const migrations = await migrate(database);
        if (migrations > 0)
          progress(`Database ${definition.name}: ${migrations} migration${migrations === 1 ? '' : 's'} done`);
        await proveIsolation(database);
      }),
    );
    const failed = openings.find((opening) => opening.status === 'rejected');
    if (failed) throw failed.reason;
    return {
      of: Object.fromEntries(opened.map((database) => [database.name, database])),
      async close() {
        await Promise.all(opened.map((database) => database.close()));
        await servers.close();
      },
    };
  } catch (error) {
    await Promise.all(opened.map((database) => database.close()));
    await servers.close();
    throw error;
  }
}

/**
 * The start proves that PostgreSQL itself keeps organizations apart, or stops.
 *
 * Throws when the serving role could see past row-level security, or a tenant table is not under it.
 */
async function proveIsolation(database: Database): Promise<void> {
  const unknownId = '00000000-0000-4000-8000-000000000000';
  const { bypasses, open } = await database.forOrganization(unknownId, (em) =>
    queryOne<{ bypasses: boolean; open: string | null }>(
      em,
      `
    select
      (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as bypasses,
      (select string_agg(c.relname, ', ')
         from pg_class c
         join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
          and not (c.relrowsecurity and c.relforcerowsecurity)) as open`,
    ),
  );
  if (bypasses) throw new Error(`The serving role of database ${database.name} is not bound by row-level security`);
  if (open !== null) throw new Error(`Tables of database ${database.name} are not under row-level security: ${open}`);
}
