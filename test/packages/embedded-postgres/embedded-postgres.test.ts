/** The embedded server's guarantees, each tested with a real server in a separate directory. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import pg from 'pg';
import { chooseAccount } from '../../../packages/embedded-postgres/choose-account.ts';
import { findServerProcesses } from '../../../packages/embedded-postgres/stop-orphan.ts';
import {
  findNativeDirectory,
  missingLibraryLinks,
  prepareBinaries,
} from '../../../packages/embedded-postgres/prepare-binaries.ts';
import { openServerLog } from '../../../packages/embedded-postgres/server-log.ts';
import { serverSettings } from '../../../packages/embedded-postgres/server-settings.ts';
import { startEmbeddedPostgres } from '../../../packages/embedded-postgres/start-embedded-postgres.ts';
import type { EmbeddedPostgres } from '../../../packages/embedded-postgres/start-embedded-postgres.ts';
import { MINUTES, PATIENCE } from '../../support/patience.ts';

// Starts and stops real servers, some of which fail to start.
vi.setConfig(MINUTES);

const isRoot = process.getuid?.() === 0;
const SOURCE = new URL('../../../packages/embedded-postgres/start-embedded-postgres.ts', import.meta.url).href;

let directory: string;
const toStop: EmbeddedPostgres[] = [];
const toKill: number[] = [];

beforeEach(() => {
  directory = mkdtempSync('/tmp/embedded-');
  chmodSync(directory, 0o711);
});

afterEach(async () => {
  for (const server of toStop.splice(0)) await server.stop();
  for (const pid of toKill.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(findServerProcesses(join(directory, 'postgres'))).toEqual([]), PATIENCE);
  rmSync(directory, { recursive: true, force: true });
});

describe('a lifetime', () => {
  it('keeps committed data over stop and start, and opens no port', async () => {
    const first = await start({ durable: true });
    await query(first, 'CREATE TABLE kept (word text)');
    await query(first, `INSERT INTO kept VALUES ('grüß')`);
    await first.stop();
    expect(findServerProcesses(join(directory, 'postgres'))).toEqual([]);

    const second = await start({ durable: true });
    expect(
      await query(
        second,
        `SELECT upper(word) word, current_setting('listen_addresses') addresses, current_setting('fsync') fsync,
      current_setting('synchronous_commit') commit, (SELECT datlocale FROM pg_database WHERE datname = 'postgres') locale FROM kept`,
      ),
    ).toEqual([{ word: 'GRÜß', addresses: '', fsync: 'on', commit: 'on', locale: 'C.UTF-8' }]);
    expect(second.password).toBe(first.password);
    for (const file of ['postgres-password', 'postgres.lock', 'postgres.owner'])
      expect([file, statSync(join(directory, file)).mode & 0o777]).toEqual([file, 0o600]);
  });

  it('refuses connections without the password', async () => {
    const server = await start();
    await expect(query({ ...server, password: 'wrong' }, 'SELECT 1')).rejects.toThrow('password authentication failed');
  });

  it('can be stopped twice', async () => {
    const server = await start();
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    await expect(query(server, 'SELECT 1')).rejects.toMatchObject({
      code: expect.stringMatching(/ENOENT|ECONNREFUSED/),
    });
  });

  it('reports the end of the log if it does not start', async () => {
    await (await start()).stop();
    writeFileSync(join(directory, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n');
    await expect(start()).rejects.toThrow(/did not start[^]*no_such_setting/);
  });

  it('starts again after an earlier start was killed while creating the cluster', async () => {
    mkdirSync(join(directory, 'postgres-unfinished-1', 'cluster'), { recursive: true });
    await query(await start(), 'SELECT 1');
    expect(existsSync(join(directory, 'postgres-unfinished-1'))).toBe(false);
  });
});

describe('a server that ends by itself', () => {
  const postmaster = () => Number(readFileSync(join(directory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

  it('is restarted, with the committed data', async () => {
    const messages: string[] = [];
    const server = await start({ durable: true, onProgress: (message) => messages.push(message) });
    await query(server, 'CREATE TABLE kept AS SELECT 1 i');
    for (const signal of ['SIGKILL', 'SIGQUIT'] as const) {
      const before = postmaster();
      process.kill(before, signal);
      await vi.waitFor(async () => expect(await query(server, 'SELECT i FROM kept')).toEqual([{ i: 1 }]), {
        ...PATIENCE,
        interval: 50,
      });
      expect(postmaster()).not.toBe(before);
    }
    expect(messages.filter((message) => message === 'PostgreSQL is running again.')).toHaveLength(2);
    await server.stop();
    expect(findServerProcesses(join(directory, 'postgres'))).toEqual([]);
  });

  it('stays down if it is stopped during the restart', async () => {
    const lost = vi.fn<(error: Error) => void>();
    const server = await start({ onLost: lost });
    const before = postmaster();
    process.kill(before, 'SIGKILL');
    await vi.waitFor(() => expect(findServerProcesses(join(directory, 'postgres'))).not.toContain(before), PATIENCE);
    await server.stop();
    // The children of a killed server end a moment after it.
    await vi.waitFor(() => expect(findServerProcesses(join(directory, 'postgres'))).toEqual([]), PATIENCE);
    expect(lost).not.toHaveBeenCalled();
  });
});

describe('the death of its process', () => {
  it.for(['SIGKILL', 'SIGTERM'] as const)('ends the server: %s', async (signal) => {
    const owner = await startElsewhere();
    process.kill(owner.pid, signal);
    await vi.waitFor(() => expect(isAlive(owner.serverPid)).toBe(false), PATIENCE);
    await vi.waitFor(
      () => expect(readFileSync(join(directory, 'postgres.log'), 'utf8')).toContain('database system is shut down'),
      PATIENCE,
    );
    expect(await query(await start(), 'SELECT * FROM kept')).toEqual([{ i: 1 }]);
  });

  it('leaves an orphan only if its watcher dies as well; the next start stops that orphan', async () => {
    const owner = await startElsewhere();
    process.kill(owner.watcherPid, 'SIGKILL');
    await vi.waitFor(() => expect(isAlive(owner.watcherPid)).toBe(false), PATIENCE);
    process.kill(owner.pid, 'SIGKILL');
    await vi.waitFor(() => expect(isAlive(owner.pid)).toBe(false), PATIENCE);
    expect(isAlive(owner.serverPid)).toBe(true);

    const messages: string[] = [];
    expect(await query(await start({ onProgress: (message) => messages.push(message) }), 'SELECT * FROM kept')).toEqual(
      [{ i: 1 }],
    );
    expect(isAlive(owner.serverPid)).toBe(false);
    expect(messages).toEqual([expect.stringContaining('an earlier start left running')]);
  });

  it('does not prevent the next start, even if the server was killed with it', async () => {
    const owner = await startElsewhere();
    for (const pid of [owner.serverPid, owner.pid]) process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(isAlive(owner.pid)).toBe(false), PATIENCE);
    expect(await query(await start(), 'SELECT * FROM kept')).toEqual([{ i: 1 }]);
  });

  it('never stops another process with the same process id', async () => {
    const first = await start();
    await first.stop();
    const account = chooseAccount(join(directory, 'postgres'));
    const stranger = spawn('sleep', ['60'], account ? { uid: account.uid, gid: account.gid } : {});
    toKill.push(stranger.pid ?? 0);
    const stale = join(directory, 'postgres', 'postmaster.pid');
    writeFileSync(
      stale,
      `${stranger.pid}\n${join(directory, 'postgres')}\n1\n5432\n${first.host}\n\n  1 1\nready   \n`,
    );
    const staleSocket = join(first.host, '.s.PGSQL.5432.lock');
    writeFileSync(staleSocket, `${stranger.pid}\n`);
    if (account) for (const file of [stale, staleSocket]) chownSync(file, account.uid, account.gid);

    expect(await query(await start(), 'SELECT 1 i')).toEqual([{ i: 1 }]);
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
  });
});

describe('one directory', () => {
  it('has one owner: a second process is refused and the first one continues', async () => {
    const owner = await startElsewhere();
    await expect(start()).rejects.toThrow(`already in use by process ${owner.pid}`);
    expect(isAlive(owner.serverPid)).toBe(true);
  });

  it('has one owner within a process too, until it stops', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow('already in use');
    expect(await query(first, 'SELECT 1 i')).toEqual([{ i: 1 }]);
    await first.stop();
    await start();
  });

  it('may have a path that is too long for a socket', async () => {
    const server = await start({ dataDirectory: join(directory, 'x'.repeat(90)) });
    expect(server.host).toMatch(/^\/tmp\/postgres-/);
    expect(await query(server, 'SELECT 1 i')).toEqual([{ i: 1 }]);
    await server.stop();
    rmSync(server.host, { recursive: true });
  });

  it.runIf(isRoot).each([
    ['private and empty', 0o700, () => {}],
    ['open and empty', 0o755, () => {}],
    ['made by an earlier version', 0o711, () => writeFileSync(join(directory, 'service-secret'), 'x')],
    ['made for the secret of the service', 0o700, () => writeFileSync(join(directory, 'service-secret'), 'x')],
  ])('a directory that is %s can be traversed only by the group of the server', async (_, mode, prepare) => {
    prepare();
    chmodSync(directory, mode);
    expect((await start()).dataDirectory).toBe(directory);
    expect(permissionsOf(directory)).toEqual({ mode: 0o710, gid: chooseAccount(undefined)!.gid });
  });

  it.runIf(isRoot)('keeps permissions that someone chose', async () => {
    writeFileSync(join(directory, 'kept'), 'x');
    chmodSync(directory, 0o755);
    const { gid } = permissionsOf(directory);
    await start();
    expect(permissionsOf(directory)).toEqual({ mode: 0o755, gid });
  });

  it.runIf(isRoot)(
    'may be inaccessible to the server: the cluster is then created elsewhere, and stays there',
    async () => {
      chmodSync(directory, 0o700);
      const dataDirectory = join(directory, 'data');
      const messages: string[] = [];
      const first = await start({ dataDirectory, onProgress: (message) => messages.push(message) });
      try {
        expect(first.dataDirectory).toMatch(/embedded-postgres\/data-/);
        expect(messages[0]).toContain(first.dataDirectory);
        await query(first, 'CREATE TABLE kept AS SELECT 1 i');
        await first.stop();
        const second = await start({ dataDirectory });
        expect(second.dataDirectory).toBe(first.dataDirectory);
        expect(await query(second, 'SELECT * FROM kept')).toEqual([{ i: 1 }]);
        await second.stop();
      } finally {
        rmSync(first.dataDirectory, { recursive: true, force: true });
      }
      await expect(start({ dataDirectory })).rejects.toThrow(
        `was stored in ${first.dataDirectory}, which no longer exists`,
      );
    },
  );
});

describe('the programs', () => {
  it('get back the library links that npm did not create', async () => {
    const native = copyPackageWithoutLinks();
    expect(missingLibraryLinks(native.directory).length).toBeGreaterThan(0);
    const binaries = await prepareBinaries({
      account: chooseAccount(undefined),
      location: directory,
      onProgress: () => {},
      native,
    });
    expect(binaries).toBe(native.directory);
    expect(missingLibraryLinks(native.directory)).toEqual([]);
    expect(execFileSync(join(binaries, 'bin', 'initdb'), ['--version'], { encoding: 'utf8' })).toContain(
      'PostgreSQL) 18',
    );
  });

  it.runIf(isRoot)('are copied, links and all, for an account that cannot reach them', async () => {
    const native = { ...copyPackageWithoutLinks(), version: `test-${process.pid}` };
    chmodSync(directory, 0o700);
    const account = chooseAccount(undefined);
    const messages: string[] = [];
    const binaries = await prepareBinaries({
      account,
      location: directory,
      onProgress: (message) => messages.push(message),
      native,
    });
    try {
      const version = execFileSync(join(binaries, 'bin', 'initdb'), ['--version'], {
        encoding: 'utf8',
        cwd: '/',
        uid: account?.uid,
        gid: account?.gid,
      });
      expect(version).toContain('PostgreSQL) 18');
      expect(messages).toEqual([expect.stringContaining(dirname(binaries))]);
    } finally {
      rmSync(dirname(binaries), { recursive: true });
    }
  });

  function copyPackageWithoutLinks() {
    const native = findNativeDirectory();
    const copy = join(directory, 'package', 'native');
    cpSync(native.directory, copy, { recursive: true, verbatimSymlinks: true });
    for (const { target } of JSON.parse(readFileSync(join(copy, 'pg-symlinks.json'), 'utf8')) as { target: string }[]) {
      rmSync(join(dirname(copy), target), { force: true });
    }
    return { ...native, directory: copy };
  }
});

it('the log has a bounded size', () => {
  const file = join(directory, 'postgres.log');
  writeFileSync(file, 'x'.repeat(11 * 1024 * 1024));
  openServerLog(file).close();
  expect([statSync(file).size, statSync(`${file}.1`).size]).toEqual([0, 11 * 1024 * 1024]);
});

it.for([
  [256, '64MB', '4MB'],
  [4096, '1024MB', '10MB'],
  [262_144, '4096MB', '32MB'],
] as const)('the settings fit a machine of %i MiB', ([mebibytes, buffers, work]) => {
  const settings = serverSettings({ durable: true, memoryBytes: mebibytes * 1024 * 1024 });
  expect([settings['shared_buffers'], settings['work_mem']]).toEqual([buffers, work]);
});

async function start(options: Partial<Parameters<typeof startEmbeddedPostgres>[0]> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDirectory: directory, durable: false, ...options });
  toStop.push(server);
  return server;
}

async function query(
  server: Pick<EmbeddedPostgres, 'host' | 'port' | 'user' | 'password'>,
  sql: string,
): Promise<unknown[]> {
  const client = new pg.Client({
    host: server.host,
    port: server.port,
    user: server.user,
    password: server.password,
    database: 'postgres',
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}

/** Another Node process that runs the server of our directory and has committed one row. */
async function startElsewhere(): Promise<{ pid: number; serverPid: number; watcherPid: number }> {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(SOURCE)};
    const server = await startEmbeddedPostgres({ dataDirectory: ${JSON.stringify(directory)} });
    process.stdout.write(JSON.stringify(server) + '\\n');
    setInterval(() => {}, 1000);
  `;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  toKill.push(owner.pid ?? 0);
  const [line] = (await once(owner.stdout, 'data')) as [Buffer];
  await query(JSON.parse(line.toString()) as EmbeddedPostgres, 'CREATE TABLE kept AS SELECT 1 i');
  const serverPid = Number(readFileSync(join(directory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  const watchers = execFileSync('ps', ['-eo', 'pid=,args=', '-ww'], { encoding: 'utf8' })
    .split('\n')
    .filter((text) => text.includes('read -r farewell') && text.includes(`-D ${directory}/`));
  expect(watchers).toHaveLength(1);
  return { pid: owner.pid ?? 0, serverPid, watcherPid: Number.parseInt(watchers[0] ?? '', 10) };
}

/** A zombie process is dead although its id still exists. */
function isAlive(pid: number): boolean {
  try {
    return !/^[ZX]/.test(execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).trim());
  } catch {
    return false;
  }
}

function permissionsOf(path: string): { mode: number; gid: number } {
  const { mode, gid } = statSync(path);
  return { mode: mode & 0o7777, gid };
}
