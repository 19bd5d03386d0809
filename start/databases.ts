/** Where the four databases are: the URLs given, or the embedded PostgreSQL. */
import { mkdirSync } from 'node:fs';
import type { Config } from '../platform/config.ts';
import type { SubgraphName } from '../schema/subgraph-names.ts';
import { type ConnectionTarget, targetOfUrl } from '../platform/database/connection-target.ts';
import { migrate } from '../platform/database/migrations/migrate.ts';
import type { Database } from '../platform/database/open-database.ts';
import { createDatabase, requireVersion } from '../platform/database/prepare-database.ts';
import { startEmbeddedPostgres } from '../packages/embedded-postgres/start-embedded-postgres.ts';
import { StartError } from '../platform/start-error.ts';
import { openSubgraphDatabase, type SubgraphDefinition } from '../platform/subgraph/subgraph.ts';
import { queryOne } from '../platform/database/sql.ts';

export interface Databases {
  readonly of: Readonly<Partial<Record<SubgraphName, Database>>>;
  close(): Promise<void>;
}

/**
 * Opens, creates where missing and migrates the databases of these subgraphs. Throws a {@link StartError} with a sentence
 * for each database whose server cannot be used or is too old; nothing is changed anywhere then.
 */
export async function openDatabases(
  definitions: readonly SubgraphDefinition[],
  config: Config,
  progress: (message: string) => void,
): Promise<Databases> {
  const ownUrls = definitions.every(({ name }) => config.databaseUrls[name] ?? config.databaseUrl);
  mkdirSync(config.dataDirectory, { recursive: true, mode: 0o711 });
  const embedded = ownUrls
    ? null
    : await startEmbeddedPostgres({
        dataDirectory: config.dataDirectory,
        onProgress: progress,
        onLost: endWithoutDatabase,
      });
  const opened: Database[] = [];
  try {
    await requireServers(
      definitions.map(({ name }) => name),
      config,
    );
    const openings = await Promise.allSettled(
      definitions.map(async (definition) => {
        const database = await openSubgraphDatabase(
          definition,
          await target(definition.name, config, embedded),
          config,
        );
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
        await embedded?.stop();
      },
    };
  } catch (error) {
    await Promise.all(opened.map((database) => database.close()));
    await embedded?.stop();
    throw error;
  }
}

/** Asks those that are not embedded. */
async function requireServers(names: readonly SubgraphName[], config: Config): Promise<void> {
  const answers = await Promise.allSettled(
    names.map(async (name) => {
      const server = ownServer(name, config);
      if (server) await requireVersion(name, server);
    }),
  );
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [(answer.reason as Error).message] : []));
  if (errors.length > 0) throw new StartError(errors.join('\n'));
}

/** Where its server answers before the database is there: its own URL, or the maintenance database. `null`: embedded. */
function ownServer(name: SubgraphName, { databaseUrls, databaseUrl }: Config): ConnectionTarget | null {
  const ownUrl = databaseUrls[name];
  if (ownUrl !== null) return targetOfUrl(ownUrl);
  return databaseUrl === null
    ? null
    : targetOfUrl(databaseUrl, targetOfUrl(databaseUrl).dbName || MAINTENANCE_DATABASE);
}

const MAINTENANCE_DATABASE = 'postgres';

/** Anyone who runs this process sees that it ended and why; a service that lingers without its database helps no one. */
function endWithoutDatabase(error: Error): never {
  process.stderr.write(`The database could not be started again; the service ends. ${error.message}\n`);
  process.exit(1);
}

async function target(
  name: SubgraphName,
  config: Config,
  embedded: Omit<ConnectionTarget, 'dbName'> | null,
): Promise<ConnectionTarget> {
  const ownUrl = config.databaseUrls[name];
  if (ownUrl !== null) return targetOfUrl(ownUrl);
  const found =
    config.databaseUrl !== null
      ? targetOfUrl(config.databaseUrl, name)
      : {
          host: embedded?.host ?? '',
          port: embedded?.port ?? 0,
          user: embedded?.user ?? '',
          password: embedded?.password ?? '',
          dbName: name,
        };
  await createDatabase(found, ownServer(name, config)?.dbName ?? MAINTENANCE_DATABASE);
  return found;
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
