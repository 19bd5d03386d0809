/** Opens the databases of a process and migrates them. */
import pg from 'pg';
import type { Config } from '#platform/config.ts';
import { migrate } from '#platform/database/migrations/migrate.ts';
import { markDistribution } from '#platform/database/nodes/distribution.ts';
import type { Database } from '#platform/database/open-database.ts';
import { reasonOf } from '#platform/database/prepare-database.ts';
import { query } from '#platform/database/sql.ts';
import { StartError } from '#platform/start-error.ts';
import { NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import { openSubgraphDatabase, type SubgraphDefinition } from '#platform/subgraph/subgraph.ts';
import { type DatabaseServers, endWithoutDatabase, locateDatabases } from './locate-databases.ts';
import { proveAdmission, proveIsolation } from '#platform/subgraph/prove-isolation.ts';

export interface Databases {
  readonly of: Readonly<Partial<Record<string, Database>>>;
  close(): Promise<void>;
}

/**
 * Creates missing databases and migrates all of them. Throws a {@link StartError} with a sentence for each database
 * whose server is unusable or too old, before changing any. `locating`: their servers, if they are being started
 * already; they are closed with the databases.
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
        await markDistribution(database);
        await proveIsolation(database);
        await proveAdmission(database);
        // Opens the first connection for reads and for look-ups: a server that drops the role fails here, at the start.
        await database.find(NO_ORGANIZATION, (tx) => query(tx, 'select 1'));
        await database.lookUps.list('select 1', []);
      }),
    );
    const failed = openings.find((opening) => opening.status === 'rejected');
    if (failed) throw failed.reason instanceof pg.DatabaseError ? refused(failed.reason) : failed.reason;
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

function refused(error: pg.DatabaseError): StartError {
  return new StartError(`A database cannot be used: ${reasonOf(error)}`, error);
}
