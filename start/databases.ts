/** Where the four databases are: the URLs given, or the embedded PostgreSQL. */
import { mkdirSync } from 'node:fs';
import type { Config, SubgraphName } from '../platform/config.ts';
import { type ConnectionTarget, targetOfUrl } from '../platform/database/connection-target.ts';
import { migrate } from '../platform/database/migrate.ts';
import type { Database } from '../platform/database/open-database.ts';
import { createDatabase } from '../platform/database/prepare-database.ts';
import { proveIsolation } from '../platform/database/prove-isolation.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/start-embedded-postgres.ts';
import { openSubgraphDatabase, type SubgraphDefinition } from '../platform/subgraph/subgraph.ts';

export interface Databases {
  readonly of: Readonly<Partial<Record<SubgraphName, Database>>>;
  close(): Promise<void>;
}

/** Opens, creates where missing and migrates the databases of these subgraphs. */
export async function openDatabases(definitions: readonly SubgraphDefinition[], config: Config, progress: (message: string) => void): Promise<Databases> {
  const ownUrls = definitions.every(({ name }) => config.databaseUrls[name] ?? config.databaseUrl);
  mkdirSync(config.dataDirectory, { recursive: true, mode: 0o711 });
  const embedded = ownUrls ? null : await startEmbeddedPostgres({ dataDirectory: config.dataDirectory, onProgress: progress, onLost: endWithoutDatabase });
  try {
    const opened = await Promise.all(definitions.map(async (definition) => {
      const database = await openSubgraphDatabase(definition, await target(definition.name, config, embedded));
      const migrations = await migrate(database);
      if (migrations > 0) progress(`Database ${definition.name}: ${migrations} migration${migrations === 1 ? '' : 's'} done`);
      await proveIsolation(database);
      return [definition.name, database] as const;
    }));
    return {
      of: Object.fromEntries(opened),
      async close() {
        await Promise.all(opened.map(([, database]) => database.close()));
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** Whoever runs this process sees that it ended and why; a service that lingers without its database helps nobody. */
function endWithoutDatabase(error: Error): never {
  process.stderr.write(`The database could not be started again; the service ends. ${error.message}\n`);
  process.exit(1);
}

async function target(name: SubgraphName, config: Config, embedded: Omit<ConnectionTarget, 'dbName'> | null): Promise<ConnectionTarget> {
  const ownUrl = config.databaseUrls[name];
  if (ownUrl !== null) return targetOfUrl(ownUrl);
  const found = config.databaseUrl !== null
    ? targetOfUrl(config.databaseUrl, name)
    : { host: embedded?.host ?? '', port: embedded?.port ?? 0, user: embedded?.user ?? '', password: embedded?.password ?? '', dbName: name };
  await createDatabase(found, config.databaseUrl === null ? 'postgres' : targetOfUrl(config.databaseUrl).dbName || 'postgres');
  return found;
}
