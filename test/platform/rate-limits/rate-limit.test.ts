import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { memoryRateLimiter, type RateLimiter } from '#platform/rate-limits/rate-limit.ts';
import { connectRedis } from '#platform/rate-limits/redis-rate-limit.ts';
import { freePort } from '../../support/free-port.ts';
import { loggedLines } from '../../support/logged-lines.ts';
import { redisStandIn } from '../../support/redis-stand-in.ts';
import { PATIENCE } from '../../support/patience.ts';

const LIMIT = { limit: 3, windowSeconds: 900 };

async function takesThree(limiter: RateLimiter): Promise<void> {
  const states = [];
  const began = performance.now();
  for (let request = 0; request < 4; request += 1) states.push(await limiter.take('key-1'));
  const passed = (performance.now() - began) / 1000;
  expect(states.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
    [true, 2],
    [true, 1],
    [true, 0],
    [false, 0],
  ]);
  for (const { resetSeconds } of states) {
    expect(resetSeconds).toBeGreaterThanOrEqual(Math.floor(900 - passed));
    expect(resetSeconds).toBeLessThanOrEqual(900);
  }
  expect((await limiter.take('key-2')).allowed).toBe(true);
}

async function takesSeveral(limiter: RateLimiter): Promise<void> {
  const began = performance.now();
  expect(await limiter.take('document', 2)).toMatchObject({ allowed: true, remaining: 1 });
  expect(await limiter.take('document', 2)).toMatchObject({ allowed: false, remaining: 0 });
  const { resetSeconds } = await limiter.take('document', 2);
  expect(resetSeconds).toBeGreaterThanOrEqual(Math.floor(900 - (performance.now() - began) / 1000));
}

describe('a bucket in memory', () => {
  it('allows as many requests as its limit, separately for each key', () => takesThree(memoryRateLimiter(LIMIT)));

  it('never overstates how long a window lasts', async () => {
    // A time at which adding 900,000 milliseconds and subtracting the time again gives more than 900,000.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(592_659.393661626);
    onTestFinished(() => clock.mockRestore());
    expect((await memoryRateLimiter(LIMIT).take('key')).resetSeconds).toBe(900);
  });

  it('counts several requests at once', () => takesSeveral(memoryRateLimiter(LIMIT)));

  it('starts again when its window has ended', async () => {
    const limiter = memoryRateLimiter({ limit: 1, windowSeconds: 1 });
    expect((await limiter.take('key')).allowed).toBe(true);
    expect((await limiter.take('key')).allowed).toBe(false);
    await expect.poll(async () => (await limiter.take('key')).allowed).toBe(true);
  });
});

describe('a bucket in Redis', () => {
  it('is shared by several adapters', async (context) => {
    const url = await startRedis();
    if (url === null) return context.skip('redis-server is not installed here');
    const { log } = loggedLines();
    const [one, other] = [await connectRedis(url, log), await connectRedis(url, log)];
    onTestFinished(async () => {
      await one.close();
      await other.close();
    });
    let attempt = 0;
    // On a busy machine Redis may take too long to answer, and an adapter then counts for itself for a while.
    await vi.waitFor(
      async () => {
        const [name, another] = [`read ${++attempt}`, `ingest ${attempt}`];
        await takesThree(one.limiter(name, LIMIT));
        await takesSeveral(one.limiter(name, LIMIT));
        expect((await other.limiter(name, LIMIT).take('key-1')).allowed).toBe(false);
        expect((await other.limiter(another, LIMIT).take('key-1')).allowed).toBe(true);
      },
      { ...PATIENCE, interval: 1_500 },
    );
  });
});

async function limiterInRedis() {
  const redis = await redisStandIn();
  onTestFinished(() => redis.close());
  const counters = await connectRedis(redis.url, loggedLines().log);
  onTestFinished(() => counters.close());
  return { redis, limiter: counters.limiter('events', { limit: 10, windowSeconds: 60 }) };
}

it('a window in Redis ends on time, however often the key is used, and is refunded only its own requests', async () => {
  const { redis, limiter } = await limiterInRedis();
  const taken = await limiter.take('key', 8);
  redis.advance(40_000);
  expect(await limiter.take('key', 8)).toMatchObject({ allowed: false, resetSeconds: 20 });
  expect(await limiter.giveBack('key', 8, taken)).toMatchObject({ remaining: 2 });
  redis.advance(20_000);
  expect(await limiter.take('key', 1)).toMatchObject({ allowed: true, remaining: 9 });
});

it('a bucket in Redis refunds nothing into another window', async () => {
  const { redis, limiter } = await limiterInRedis();
  const taken = await limiter.take('key', 8);
  redis.advance(60_000);
  await limiter.take('key', 4);
  await limiter.giveBack('key', 3, { ...taken, endsAt: performance.now() });
  expect(await limiter.take('key', 0)).toMatchObject({ remaining: 6 });
});

it('a bucket in memory refunds nothing into another window', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const limiter = memoryRateLimiter({ limit: 10, windowSeconds: 60 });
  const taken = await limiter.take('key', 8);
  expect(await limiter.giveBack('key', 5, taken)).toMatchObject({ remaining: 7 });
  clock.mockReturnValue(61_000);
  await limiter.take('key', 4);
  expect(await limiter.giveBack('key', 3, taken)).toMatchObject({ remaining: 6 });
});

describe('Redis is unavailable', () => {
  it('each process counts by itself, logs it once, and shares again when Redis is back', async () => {
    const redis = await redisStandIn();
    onTestFinished(() => redis.close());
    const { log, lines } = loggedLines('info');
    const counters = await connectRedis(redis.url, log);
    onTestFinished(() => counters.close());
    const limiter = counters.limiter('read', LIMIT);
    expect([(await limiter.take('key')).remaining, counters.state()]).toEqual([2, 'ok']);

    await redis.stop();
    const alone = [];
    for (let request = 0; request < 4; request += 1) alone.push((await limiter.take('key')).allowed);
    expect([alone, counters.state()]).toEqual([[true, true, true, false], 'unreachable']);
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['warn', 'Redis is unavailable: until it is back, each process counts requests separately'],
    ]);

    await redis.start();
    await expect
      .poll(async () => [(await limiter.take('other')).allowed, counters.state()][1], { ...PATIENCE, interval: 300 })
      .toBe('ok');
    expect(lines.map(({ msg }) => msg).slice(1)).toEqual(['Redis counts requests again']);
  });

  it('a Redis that does not respond delays no request', async () => {
    const redis = await redisStandIn();
    onTestFinished(() => redis.close());
    const { log } = loggedLines();
    const counters = await connectRedis(redis.url, log);
    onTestFinished(() => counters.close());
    const limiter = counters.limiter('read', LIMIT);
    await limiter.take('key');
    redis.freeze();
    const heard = redis.counts();
    const states = await Promise.all(Array.from({ length: 20 }, async (_, index) => limiter.take(`key-${index}`)));
    for (let request = 0; request < 20; request += 1) states.push(await limiter.take(`later-${request}`));
    expect(states.every(({ allowed, remaining }) => allowed && remaining === 2)).toBe(true);
    // Requests from before the outage was known have asked Redis; later ones have not.
    expect(redis.counts() - heard).toBe(20);
    expect(counters.state()).toBe('unreachable');
  });

  it('while a process starts: the start continues', async () => {
    const { log, lines } = loggedLines();
    const counters = await connectRedis(`redis://127.0.0.1:${await freePort()}`, log);
    onTestFinished(() => counters.close());
    expect((await counters.limiter('read', LIMIT).take('key')).remaining).toBe(2);
    expect(lines).toMatchObject([{ level: 'warn', cause: 'ECONNREFUSED' }]);
  });
});

/** A Redis for this test on a free port, or `null` if it is not installed. */
async function startRedis(): Promise<string | null> {
  const directory = mkdtempSync(join(tmpdir(), 'redis-'));
  const port = await freePort();
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory],
    { stdio: 'ignore' },
  );
  let missing = false;
  server.on('error', () => {
    missing = true;
  });
  onTestFinished(() => {
    server.kill();
    rmSync(directory, { recursive: true, force: true });
  });
  const url = `redis://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 100 && !missing; attempt += 1) {
    const counters = await connectRedis(url, loggedLines().log);
    const state = counters.state();
    await counters.close();
    if (state === 'ok') return url;
    await pause(50);
  }
  return null;
}
