import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { type Job, runJobs, type RunningJobs } from '#platform/job-loop.ts';
import { printMetrics } from '#platform/metrics.ts';

const lines: { level: number; msg: string; jobs?: string[] }[] = [];
const log = pino(
  { level: 'info' },
  { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) },
);
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
let jobs: RunningJobs | undefined;

afterEach(async () => {
  vi.useRealTimers();
  await jobs?.stop();
  lines.length = 0;
});

function start(...steps: (Partial<Job> & Pick<Job, 'step'>)[]): RunningJobs {
  return (jobs = runJobs(
    steps.map((job, index) => ({ name: `job-${index}`, restMilliseconds: 100, ...job })),
    log,
  ));
}

/** Waits by the tests' own clock. */
const work = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

it('an outage logs two lines, however many loops and attempts, and work continues within two seconds', async () => {
  vi.useFakeTimers();
  let isAway = true;
  let done = 0;
  let attempts = 0;
  const step = async (): Promise<'idle'> => {
    attempts += 1;
    if (isAway) throw refused;
    done += 1;
    return 'idle';
  };
  start({ step, parallel: 4 }, { step });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(attempts).toBeGreaterThan(2_000);
  expect(lines.map(({ msg }) => msg)).toEqual(['Jobs are waiting for an unavailable dependency']);
  isAway = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(done).toBeGreaterThan(5);
  expect(lines.map(({ msg }) => msg)).toEqual([
    'Jobs are waiting for an unavailable dependency',
    'Jobs are running again',
  ]);
});

it('a step that keeps failing is retried every four seconds and logged ever more rarely', async () => {
  vi.useFakeTimers();
  let attempts = 0;
  let isBroken = true;
  start({
    async step() {
      attempts += 1;
      if (isBroken) throw new Error('a fault of ours');
      return 'idle';
    },
  });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(attempts).toBeGreaterThan(140);
  expect(lines).toHaveLength(8);
  isBroken = false;
  await vi.advanceTimersByTimeAsync(4_000);
  expect(lines.at(-1)?.msg).toBe('A failed job has recovered');
});

it('the pause after a failure doubles from half a second to four seconds, and is short again after a success', async () => {
  vi.useFakeTimers();
  const failedAt: number[] = [];
  let isBroken = true;
  const began = Date.now();
  start({
    async step() {
      if (!isBroken) return 'idle';
      failedAt.push(Date.now() - began);
      throw new Error('a fault of ours');
    },
  });
  await vi.advanceTimersByTimeAsync(12_000);
  expect(failedAt).toEqual([0, 500, 1_500, 3_500, 7_500, 11_500]);
  isBroken = false;
  await vi.advanceTimersByTimeAsync(4_000);
  isBroken = true;
  failedAt.length = 0;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(failedAt[1]! - failedAt[0]!).toBe(500);
});

it('a stop does not wait for a hanging step, and names its job', async () => {
  vi.useFakeTimers();
  const running = start({ name: 'hanging', step: () => new Promise(() => {}) }, { step: async () => 'idle' });
  jobs = undefined;
  const stopped = running.stop();
  await vi.advanceTimersByTimeAsync(7_000);
  await stopped;
  expect(lines.at(-1)).toMatchObject({ msg: 'Jobs were abandoned in the middle of a step', jobs: ['hanging'] });
});

it('a stop ends after the current step', async () => {
  let isDone = false;
  const running = start({
    async step() {
      await pause(100);
      isDone = true;
      return 'idle';
    },
  });
  await running.stop();
  expect([isDone, lines]).toEqual([true, []]);
});

it('while there is nothing to do, one of many loops checks for work, and each notification wakes one loop', async () => {
  vi.useFakeTimers();
  const looked: number[] = [];
  const began = Date.now();
  const running = start({
    parallel: 16,
    channel: 'work',
    async step() {
      looked.push(Date.now() - began);
      return 'idle';
    },
  });
  await vi.advanceTimersByTimeAsync(1_050);
  expect(looked.splice(0)).toEqual(Array.from({ length: 11 }, (_, n) => 100 * n));
  running.wake('work');
  running.wake('elsewhere');
  await vi.advanceTimersByTimeAsync(10);
  expect(looked).toEqual([1_050]);
});

it('a loop that finds work wakes another loop before it does the work', async () => {
  vi.useFakeTimers();
  let left = 0;
  let working = 0;
  let most = 0;
  const running = start({
    parallel: 4,
    channel: 'work',
    restMilliseconds: 60_000,
    async step(found) {
      if (left === 0) return 'idle';
      left -= 1;
      found?.();
      most = Math.max(most, ++working);
      await work(1_000);
      working -= 1;
      return 'more';
    },
  });
  await vi.advanceTimersByTimeAsync(10);
  left = 8;
  running.wake('work');
  await vi.advanceTimersByTimeAsync(2_100);
  expect([left, working, most]).toEqual([0, 0, 4]);
});

it('while one loop is busy, the next takes over the timer, and no notification is missed', async () => {
  vi.useFakeTimers();
  const begun: number[] = [];
  const began = Date.now();
  let isLong = false;
  const running = start({
    parallel: 2,
    channel: 'work',
    async step() {
      begun.push(Date.now() - began);
      if (isLong) await work(250);
      return 'idle';
    },
  });
  await vi.advanceTimersByTimeAsync(50);
  isLong = true;
  begun.length = 0;
  await vi.advanceTimersByTimeAsync(170);
  // The first one has been working since 100, so the second has taken over the timer.
  expect(begun).toEqual([100, 200]);
  running.wake('work');
  await vi.advanceTimersByTimeAsync(180);
  expect(begun).toEqual([100, 200, 350]);
});

it('upkeep takes no more than its share of the time', async () => {
  vi.useFakeTimers();
  const begun: number[] = [];
  const began = Date.now();
  start({
    share: 0.25,
    async step() {
      begun.push(Date.now() - began);
      await work(20);
      return begun.length < 4 ? 'more' : 'idle';
    },
  });
  await vi.advanceTimersByTimeAsync(300);
  expect(begun).toEqual([0, 80, 160, 240]);
});

it('the age of jobs is not reported while they are stopped', async () => {
  const ages = async () =>
    (await printMetrics()).split('\n').filter((line) => /^books_job_(last|rest).*job="job-0"/.test(line)).length;
  const idle = { step: async () => 'idle' as const };
  await start(idle).stop();
  expect(await ages()).toBe(0);
  const again = start(idle);
  expect(await ages()).toBe(3);
  await again.stop();
  expect(await ages()).toBe(0);
});
