/** The whole service on all cores: `npm start -- --processes 2`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConfigError, readConfig } from '#platform/config.ts';
import { jobSharing } from '../../start/workers/share-jobs.ts';
import { settingsOfArguments } from '../../start/workers/worker-settings.ts';
import { type ChildService, expectEvents, firstRunOf, run, Sender } from '../support/child-service.ts';
import { freePort } from '../support/free-port.ts';
import type { FirstRun } from '../support/running-service.ts';
import { MINUTES, PATIENCE } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const LIMIT = 20;

describe('two workers', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'books-workers-'));
  let service: ChildService;
  let firstRun: FirstRun;
  let operationsUrl: string;

  beforeAll(async () => {
    const port = await freePort();
    operationsUrl = `http://127.0.0.1:${port}`;
    service = await run('one-process', ['--processes', '2'], {
      DATA_DIR: join(dataDirectory, 'data'),
      OPERATIONS_PORT: String(port),
      READ_RATE_LIMIT: `${LIMIT};w=600`,
    });
    firstRun = firstRunOf(join(dataDirectory, 'data'));
    await vi.waitFor(async () => expect(await workers()).toHaveLength(2), { ...PATIENCE, interval: 500 });
  });
  afterAll(async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  /** Process ids of the workers that are ready. */
  async function workers({ jobs }: { jobs?: boolean } = {}): Promise<number[]> {
    const state = (await (await fetch(`${operationsUrl}/readyz`)).json()) as {
      workers: { pid: number; ready: boolean; jobs: boolean }[];
    };
    return state.workers
      .filter((worker) => worker.ready && worker.jobs === (jobs ?? worker.jobs))
      .map(({ pid }) => pid);
  }

  it('share their counts: of requests in metrics, and of requests of a key for its limit', async () => {
    // Each connection goes to the next worker.
    const statuses = [];
    for (let turn = 0; turn < 2 * LIMIT; turn++) statuses.push(await ping());
    expect(statuses).toEqual([...Array(LIMIT).fill(200), ...Array(LIMIT).fill(429)]);
    for (const url of [service.url, operationsUrl]) {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const answered =
        /^books_http_request_duration_seconds_count\{method="GET",route="\/v1\/ping",status="(\d+)"\} (\d+)$/gm;
      expect([...metrics.matchAll(answered)].map(([, status, count]) => [status, count]).toSorted()).toEqual([
        ['200', String(LIMIT)],
        ['429', String(LIMIT)],
      ]);
    }
  });

  const ping = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${firstRun.live_ingest_key}` };
      request(`${service.url}/v1/ping`, { agent: false, headers }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode));
      })
        .once('error', reject)
        .end();
    });

  it('lose nothing when the one with the jobs dies: the other one takes over, and there are two again', async () => {
    const [before, ...others] = await workers({ jobs: true });
    expect(others).toEqual([]);
    const sender = new Sender(service.url, firstRun.live_ingest_key);
    await expect.poll(() => sender.acknowledged).toBeGreaterThan(0);
    process.kill(before!, 'SIGKILL');
    await expect
      .poll(async () => (await workers()).filter((pid) => pid !== before), { ...PATIENCE, interval: 500 })
      .toHaveLength(2);
    await expect.poll(() => workers({ jobs: true })).toHaveLength(1);
    const sent = await sender.stop();
    await expectEvents(service.url, firstRun, sent);
  });

  it('end with the first process', async () => {
    const pids = await workers();
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

describe('workers with jobs', () => {
  it('are only as many as are needed: one more if all are busy, and one fewer after a while', () => {
    const wanted = jobSharing(3);
    expect(wanted([])).toBe(1);
    expect(wanted([0.2])).toBe(1);
    expect(wanted([0.8])).toBe(2);
    expect(wanted([0.9, 0.3])).toBe(2);
    expect(wanted([0.9, 0.8])).toBe(3);
    expect(wanted([1, 1, 1])).toBe(3);
    const calm = Array.from({ length: 11 }, () => wanted([0.3, 0.2, 0.2]));
    expect(calm).toEqual([...Array(9).fill(3), 2, 3]);
  });
});

it('there may be as many workers as cores, or a given number, and nothing else', () => {
  const processesOf = (...args: string[]) => readConfig({}, settingsOfArguments(args)).processes;
  expect(processesOf()).toBe(1);
  expect(processesOf('--processes', 'auto')).toBeGreaterThan(0);
  expect([processesOf('--processes=3'), processesOf('--processes', '64')]).toEqual([3, 64]);
  for (const args of [
    ['--processes', '0'],
    ['--processes', '65'],
    ['--processes', 'all'],
    ['--processes'],
    ['--port', '1'],
  ])
    expect(() => processesOf(...args)).toThrow(ConfigError);
});
