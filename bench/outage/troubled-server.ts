/** A separate PostgreSQL that really fails, so that its responses during an outage are PostgreSQL's own. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../packages/embedded-postgres/start-embedded-postgres.ts';
import { findServerProcesses } from '../../packages/embedded-postgres/stop-orphan.ts';

export const TROUBLES = [
  'stopped',
  'frozen',
  'too many clients',
  'read-only',
  'one backend killed',
  'disk full',
] as const;
export type Trouble = (typeof TROUBLES)[number];

export interface TroubledServer {
  readonly postgres: EmbeddedPostgres;
  /** Troubles that can be caused here: a full disk needs its own file system. */
  readonly troubles: readonly Trouble[];
  /**
   * Resolves once the trouble has begun, with a function that ends it. That function resolves once the server can
   * serve again.
   */
  begin(trouble: Trouble): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

const DISK_MEGABYTES = 500;
const BALLAST_BYTES = 1024 * 1024;
const TOO_MANY_CLIENTS = '53300';
const HOGS = 20;
const HOG_REST_MILLISECONDS = 20;
/** Rounds in which we got no new connection and terminated no other: after these, all connections are ours. */
const QUIET_ROUNDS = 3;
const TERMINATE = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where backend_type = 'client backend' and application_name <> 'troubles'`;

/** `directory` must be empty. If we may mount (root), it becomes a small file system. */
export async function startTroubledServer(directory: string): Promise<TroubledServer> {
  const isMounted = mount(directory);
  let isLost = false;
  const start = () => startEmbeddedPostgres({ dataDirectory: directory, onLost: () => (isLost = true) });
  let postgres = await start();
  const cluster = join(postgres.dataDirectory, 'postgres');
  const connect = async (): Promise<pg.Client> => {
    const { host, port, user, password } = postgres;
    const client = new pg.Client({ host, port, user, password, database: 'postgres', application_name: 'troubles' });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const signalAll = (signal: NodeJS.Signals): void => {
    for (const pid of findServerProcesses(cluster)) process.kill(pid, signal);
  };

  const beginnings: Readonly<Record<Trouble, () => Promise<() => Promise<void>>>> = {
    async stopped() {
      await postgres.stop();
      return async () => {
        postgres = await start();
      };
    },
    async frozen() {
      signalAll('SIGSTOP');
      return async () => signalAll('SIGCONT');
    },
    async 'too many clients'() {
      const admin = await connect();
      const clients: pg.Client[] = [];
      /**
       * Opens many connections at a time, since terminated clients are already reconnecting. Returns the number of
       * connections gained.
       */
      const take = async (): Promise<number> => {
        const taken = await Promise.allSettled(Array.from({ length: HOGS }, connect));
        const got = taken.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
        clients.push(...got);
        const failed = taken.find((outcome) => outcome.status === 'rejected');
        if (failed && (failed.reason as { code?: string }).code !== TOO_MANY_CLIENTS) throw failed.reason;
        return got.length;
      };
      for (let quiet = 0; quiet < QUIET_ROUNDS;) {
        const taken = await take();
        const { rowCount: others } = await admin.query(TERMINATE);
        quiet = taken === 0 && others === 0 ? quiet + 1 : 0;
        await pause(HOG_REST_MILLISECONDS);
      }
      return async () => {
        await Promise.all([...clients, admin].map((client) => client.end()));
      };
    },
    async 'read-only'() {
      const admin = await connect();
      const set = async (value: 'on' | 'off'): Promise<void> => {
        await admin.query('set default_transaction_read_only = off');
        await admin.query(`alter system set default_transaction_read_only = ${value}`);
        await admin.query('select pg_reload_conf()');
        await admin.query(TERMINATE);
      };
      await set('on');
      return async () => {
        await set('off');
        await admin.end();
      };
    },
    async 'one backend killed'() {
      const admin = await connect();
      const { rows } = await admin.query<{ pid: number }>(
        "select pid from pg_stat_activity where backend_type = 'client backend' and application_name <> 'troubles' limit 1",
      );
      admin.end().catch(() => {});
      for (const { pid } of rows) process.kill(pid, 'SIGKILL');
      return async () => {};
    },
    async 'disk full'() {
      const ballast = join(directory, 'ballast');
      fill(ballast);
      // Space freed later, for example a checkpoint's temporary file, is filled again.
      const refilling = setInterval(() => fill(ballast), 500);
      return async () => {
        clearInterval(refilling);
        rmSync(ballast);
        if (!isLost) return;
        isLost = false;
        await postgres.stop();
        postgres = await start();
      };
    },
  };
  return {
    get postgres() {
      return postgres;
    },
    troubles: isMounted ? TROUBLES : TROUBLES.filter((trouble) => trouble !== 'disk full'),
    begin: (trouble) => beginnings[trouble](),
    async stop() {
      await postgres.stop();
      if (isMounted) execFileSync('umount', ['-l', directory]);
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function mount(directory: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m,mode=0711`, 'tmpfs', directory], {
      stdio: 'ignore',
    });
    return readFileSync('/proc/mounts', 'utf8').includes(` ${directory} tmpfs `);
  } catch {
    return false;
  }
}

/** Fills the disk until nothing more fits. */
function fill(file: string): void {
  for (const bytes of [BALLAST_BYTES, 4096]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      // The disk is full for blocks of this size.
    }
  }
}
