/**
 * A Citus cluster for a test. Its engine is at `CITUS_ENGINE`, or next to the repository; without one, tests that need
 * it are skipped.
 */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Client } from 'pg';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { withClient } from '#platform/database/prepare-database.ts';

const ENGINE = process.env['CITUS_ENGINE'] ?? resolve(import.meta.dirname, '../../../shared/engine/citus-pg18.tar.gz');
const run = promisify(execFile);

export const HAS_ENGINE = existsSync(ENGINE);

export interface CitusCluster {
  /** Connection settings of each node, the coordinator first. */
  readonly nodes: readonly Omit<ConnectionTarget, 'dbName'>[];
  /** URL of a database at the coordinator. */
  url(database: string): string;
  /** Connects as superuser, to the coordinator (0) or a worker. */
  asOperator<T>(database: string, work: (client: Client) => Promise<T>, node?: number): Promise<T>;
  /** Kills a worker, from 1, with all its connections. */
  kill(worker: number): void;
  revive(worker: number): Promise<void>;
  stop(): Promise<void>;
}

/** `firstPort` and the following ones, one for each worker; other tests use ports above 10,240. */
export async function startCitus(
  firstPort: number,
  { workers, databases }: { readonly workers: number; readonly databases: readonly string[] },
): Promise<CitusCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'books-nodes-'));
  chmodSync(directory, 0o755);
  await run('tar', ['xzf', ENGINE, '-C', directory]);
  const home = join(directory, 'citus-pg18');
  const program = join(home, 'bin/citus-cluster');
  const env = {
    ...process.env,
    BASE_PORT: String(firstPort),
    WORKERS: String(workers),
    SHARDS: '4',
    DATABASES: databases.join(' '),
    SHARED_BUFFERS: '64MB',
  };
  await run(program, ['start', join(directory, 'data')], { env });
  const dataOf = (worker: number) => join(directory, 'data', `worker${worker}`);
  const server = { host: '127.0.0.1', port: firstPort, user: 'postgres', password: '' };
  return {
    nodes: Array.from({ length: workers + 1 }, (_, node) => ({ ...server, port: firstPort + node })),
    url: (database) => `postgresql://postgres@127.0.0.1:${firstPort}/${database}`,
    asOperator: (database, work, node = 0) => withClient({ ...server, port: firstPort + node, dbName: database }, work),
    kill: (worker) =>
      process.kill(Number(readFileSync(join(dataOf(worker), 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT'),
    revive: async (worker) => {
      const data = dataOf(worker);
      const { uid, gid } = statSync(data);
      const libraries = { LD_LIBRARY_PATH: `${home}/pgsql/lib:${home}/lib` };
      const args = ['-D', data, '-l', `${data}.log`, '-w', 'start'];
      // The server keeps its output streams open, so nobody waits for them to close.
      await new Promise((resolve, reject) =>
        spawn(join(home, 'pgsql/bin/pg_ctl'), args, { uid, gid, cwd: '/', env: libraries, stdio: 'ignore' })
          .once('error', reject)
          .once('exit', resolve),
      );
    },
    async stop() {
      await run(program, ['stop', join(directory, 'data')]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
