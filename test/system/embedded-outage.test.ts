import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { BATCH, expectEvents, firstRunOf, run, Sender } from '../support/child-service.ts';
import { MINUTES, PATIENCE } from '../support/patience.ts';

// Waits until an outage is noticed, and until it is over.
vi.setConfig(MINUTES);

it('an embedded database is restarted if it is killed, and the process ends if that fails', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'books-outage-'));
  const service = await run('one-process', [], { DATA_DIR: dataDirectory });
  onTestFinished(async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 5 });
  });
  const firstRun = firstRunOf(dataDirectory);
  const location = readLocation(dataDirectory);
  const postmaster = () => Number(readFileSync(join(location, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

  const sender = new Sender(service.url, firstRun.live_ingest_key);
  const goesOn = async () => {
    const before = sender.acknowledged;
    await vi.waitFor(() => expect(sender.acknowledged).toBeGreaterThan(before + 5 * BATCH), PATIENCE);
  };
  await goesOn();
  // Like the kernel when memory runs out: PostgreSQL then closes all connections and recovers.
  process.kill(backendOf(postmaster()), 'SIGKILL');
  await goesOn();
  const first = postmaster();
  process.kill(first, 'SIGKILL');
  await vi.waitFor(() => expect(postmaster()).not.toBe(first), PATIENCE);
  await goesOn();
  await expectEvents(service.url, firstRun, await sender.stop());

  writeFileSync(join(location, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n');
  process.kill(postmaster(), 'SIGKILL');
  expect(await service.ended).toBe(1);
  expect(service.output()).toMatch(/The database could not be started again; the service ends\. [^]*no_such_setting/);
});

/** A PostgreSQL process that serves one connection. */
function backendOf(postmaster: number): number {
  const children = execFileSync('ps', ['-ww', '-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return Number(
    children.find(
      ([, parent, ...args]) => Number(parent) === postmaster && args.join(' ').includes('postgres costing'),
    )?.[0],
  );
}

function readLocation(dataDirectory: string): string {
  try {
    return readFileSync(join(dataDirectory, 'postgres-location'), 'utf8').trim();
  } catch {
    return dataDirectory;
  }
}
