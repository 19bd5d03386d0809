import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { startService } from '../../start/start-service.ts';
import { freePort } from '../support/free-port.ts';
import { freshTarget } from '../support/fresh-database.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { poolerWithoutOptions } from '../support/pooler-without-options.ts';
import { postgresStandIn } from '../support/postgres-stand-in.ts';
import { urlOf } from '../support/running-service.ts';
import { MINUTES, PATIENCE } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const NAMES = ['identity', 'costing', 'attribution', 'revenue', 'alerting', 'reconciliation'] as const;
const PROCESSES = ['one-process', 'gateway', 'rest-adapter', 'subgraph identity', 'jobs costing'];

function dataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'books-start-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A port on which something else listens. */
async function takenPort(): Promise<number> {
  const server = createServer();
  await listen(server, 0);
  return (server.address() as AddressInfo).port;
}

async function listen(server: Server, port: number): Promise<void> {
  onTestFinished(async () => void (await new Promise((resolve) => server.close(resolve))));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
}

/** Runs a start script with its arguments until it ends. */
function run(
  command: string,
  settings: Readonly<Record<string, string>>,
): Promise<{ code: number | null; stderr: string }> {
  const [script, ...args] = command.split(' ');
  const separate = {
    SERVICE_SECRET: 's'.repeat(32),
    GATEWAY_URL: 'http://127.0.0.1:9',
    ...Object.fromEntries(NAMES.map((name) => [`${name.toUpperCase()}_URL`, 'http://127.0.0.1:9'])),
  };
  const child = spawn(process.execPath, [`start/${script}.ts`, ...args], {
    env: { ...process.env, ...separate, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += String(text);
  });
  return new Promise((resolve) => child.once('exit', (code) => resolve({ code, stderr })));
}

describe('a port in use', () => {
  it.each(PROCESSES)(
    '%s is reported in one sentence, and the process ends before anything is started',
    async (command) => {
      const port = await takenPort();
      const directory = dataDirectory();
      const { code, stderr } = await run(command, { PORT: String(port), DATA_DIR: directory });
      expect([code, stderr]).toEqual([
        1,
        `Cannot listen on 127.0.0.1:${port}: another process listens there. Stop it, or set PORT to a free port\n`,
      ]);
      expect(existsSync(join(directory, 'postgres'))).toBe(false);
    },
  );

  it('an address of another machine is reported too', async () => {
    const { code, stderr } = await run('one-process', { HOST: '192.0.2.1', PORT: '8080', DATA_DIR: dataDirectory() });
    expect([code, stderr]).toEqual([
      1,
      'Cannot listen on 192.0.2.1:8080: this machine has no such address. Set HOST to one that it has\n',
    ]);
  });

  it('a port that is taken while the service starts leaves no connection and no job', async () => {
    const port = await freePort();
    const targets = await Promise.all(NAMES.map(freshTarget));
    const { log, lines } = loggedLines();
    const config = readConfig({
      DATA_DIR: dataDirectory(),
      PORT: String(port),
      ...Object.fromEntries(NAMES.map((name, index) => [`${name.toUpperCase()}_DATABASE_URL`, urlOf(targets[index]!)])),
    });
    await listen(createServer(), port);
    await expect(startService(config, { log })).rejects.toThrow(`Cannot listen on 127.0.0.1:${port}`);
    const connections = () =>
      withClient({ ...inject('server'), dbName: 'postgres' }, async (client) => {
        const { rows } = await client.query<{ datname: string }>(
          'select datname from pg_stat_activity where datname = any($1)',
          [targets.map(({ dbName }) => dbName)],
        );
        return rows;
      });
    await expect.poll(connections).toEqual([]);
    expect(lines).toEqual([]);
  });
});

describe('an unusable database', () => {
  it('an older PostgreSQL is reported, for each database, without a stack', async () => {
    const old = await postgresStandIn('15.13 (Debian 15.13-0+deb12u1)');
    onTestFinished(() => old.close());
    const { code, stderr } = await run('one-process', { PORT: '0', DATA_DIR: dataDirectory(), DATABASE_URL: old.url });
    const server = new URL(old.url).host;
    expect([code, stderr]).toEqual([
      1,
      NAMES.map(
        (name) =>
          `The database ${name} needs PostgreSQL 18 or newer: the server at ${server} is 15.13 (Debian 15.13-0+deb12u1)\n`,
      ).join(''),
    ]);
    const one = await run('subgraph costing', { PORT: '0', DATA_DIR: dataDirectory(), COSTING_DATABASE_URL: old.url });
    expect([one.code, one.stderr]).toEqual([
      1,
      `The database costing needs PostgreSQL 18 or newer: the server at ${server} is 15.13 (Debian 15.13-0+deb12u1)\n`,
    ]);
  });

  it('an unavailable database is reported with the reason', async () => {
    const port = await freePort();
    const { code, stderr } = await run('jobs revenue', {
      PORT: '0',
      DATA_DIR: dataDirectory(),
      REVENUE_DATABASE_URL: `postgresql://postgres@127.0.0.1:${port}/revenue`,
    });
    expect([code, stderr]).toEqual([1, `The database revenue cannot be used at 127.0.0.1:${port}: ECONNREFUSED\n`]);
  });

  it('a database behind a pooler that drops the role of connections is refused, and the message says what to change', async () => {
    const target = await freshTarget('costing');
    const pooler = await poolerWithoutOptions(target);
    onTestFinished(() => pooler.close());
    const { host, port, user, password, dbName } = pooler.target;
    const { code, stderr } = await run('subgraph costing', {
      PORT: '0',
      DATA_DIR: dataDirectory(),
      COSTING_DATABASE_URL: `postgresql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}/${dbName}`,
    });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `A connection to PostgreSQL lost its startup settings: its role is ${user} instead of costing_serving, its statement_timeout 0 instead of 15000 ms.`,
    );
    expect(stderr).toContain('remove "options" from its ignore_startup_parameters');
    expect(stderr).not.toContain('    at ');
  });

  it('a database whose server refuses the connection is reported with the message of the server', async () => {
    const target = await freshTarget('costing');
    const { host, port, password, dbName } = target;
    const { code, stderr } = await run('subgraph costing', {
      PORT: '0',
      DATA_DIR: dataDirectory(),
      COSTING_DATABASE_URL: urlOf({ host, port, user: 'nobody', password, dbName }),
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database costing cannot be used at .*: .*"nobody".* \(28\w{3}\)\n$/);
  });

  it('the other databases are closed again', async () => {
    const targets = await Promise.all(NAMES.map(freshTarget));
    const config = readConfig({
      DATA_DIR: dataDirectory(),
      PORT: '0',
      ...Object.fromEntries(NAMES.map((name, index) => [`${name.toUpperCase()}_DATABASE_URL`, urlOf(targets[index]!)])),
    });
    // The isolation check fails after the migrations.
    await withClient(targets[1]!, (client) => client.query('create table stray (organization_id uuid)'));
    await expect(startService(config, { log: loggedLines().log })).rejects.toThrow(
      'not under row-level security: stray',
    );
    await expect
      .poll(
        () =>
          withClient({ ...inject('server'), dbName: 'postgres' }, async (client) => {
            const { rows } = await client.query<{ datname: string }>(
              'select datname from pg_stat_activity where datname = any($1)',
              [targets.map(({ dbName }) => dbName)],
            );
            return rows;
          }),
        PATIENCE,
      )
      .toEqual([]);
  });
});

it('an unknown subgraph is refused with a list of the known ones', async () => {
  const { code, stderr } = await run('subgraph billing', { PORT: '0', DATA_DIR: dataDirectory() });
  expect([code, stderr]).toEqual([
    1,
    'Name a subgraph: identity, costing, attribution, revenue, alerting, reconciliation\n',
  ]);
});
