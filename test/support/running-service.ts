/** A whole service for a test: real HTTP, real PostgreSQL, copies of the migrated templates. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '#platform/config.ts';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { createLog } from '#platform/log.ts';
import { type ServiceOptions, startService } from '../../start/start-service.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { dropDatabases, serviceTarget } from './fresh-database.ts';

export interface FirstRun {
  operator_token: string;
  owner_email: string;
  owner_password: string;
  organization_id: string;
  live_read_key: string;
  live_ingest_key: string;
  test_ingest_key: string;
}

export interface RunningService {
  readonly url: string;
  readonly operationsUrl?: string;
  readonly firstRun: FirstRun;
  readonly dataDirectory: string;
  /** Database of a subgraph, for tests that change what no request can change, such as times. */
  target(subgraph: string): ConnectionTarget;
  runJobs(wanted: boolean): Promise<void>;
  stop(): Promise<void>;
}

export function urlOf({ host, port, user, password, dbName }: ConnectionTarget): string {
  return `postgresql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@localhost:${port}/${dbName}?host=${encodeURIComponent(host)}`;
}

/** High limits, unless a test sets its own. */
export async function runningService(
  settings: Readonly<Record<string, string>> = {},
  options: Pick<ServiceOptions, 'jobs' | 'log'> = {},
): Promise<RunningService> {
  const directory = mkdtempSync(join(tmpdir(), 'books-service-'));
  // Created by the service.
  const dataDirectory = join(directory, 'data');
  const databases = await makeDatabases(settings);
  const config = readConfig({
    DATA_DIR: dataDirectory,
    PORT: '0',
    LOG_LEVEL: 'fatal',
    READ_RATE_LIMIT: '100000;w=900',
    INGEST_RATE_LIMIT: '100000;w=60',
    ...Object.fromEntries([...databases].map(([name, target]) => [settingOf(name), urlOf(target)])),
    ...settings,
  });
  const service = await startService(config, { log: createLog(config.logLevel), ...options });
  return {
    url: service.url,
    operationsUrl: service.operationsUrl ?? '',
    firstRun: JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8')) as FirstRun,
    dataDirectory,
    target(subgraph) {
      const target = databases.get(subgraph);
      if (!target) throw new Error(`The settings of the test name the database of ${subgraph}`);
      return target;
    },
    runJobs: service.runJobs,
    async stop() {
      await service.stop();
      await dropDatabases([...databases.values()]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Creates a database for each subgraph whose database `settings` does not name. */
async function makeDatabases(settings: Readonly<Record<string, string>>): Promise<Map<string, ConnectionTarget>> {
  const missing = SUBGRAPH_NAMES.filter((name) => settings[settingOf(name)] === undefined);
  return new Map(await Promise.all(missing.map(async (name) => [name, await serviceTarget(name)] as const)));
}

function settingOf(subgraph: string): string {
  return `${subgraph.toUpperCase()}_DATABASE_URL`;
}
