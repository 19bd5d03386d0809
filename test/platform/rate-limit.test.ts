import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryRateLimiter, type RateLimiter } from '../../platform/rate-limit.ts';
import { connectRedis, redisRateLimiter } from '../../platform/redis-rate-limit.ts';

const LIMIT = { limit: 3, windowSeconds: 900 };

async function takesThree(limiter: RateLimiter): Promise<void> {
  const states = [];
  for (let request = 0; request < 4; request += 1) states.push(await limiter.take('key-1'));
  expect(states.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([[true, 2], [true, 1], [true, 0], [false, 0]]);
  expect(states.map(({ resetSeconds }) => resetSeconds).every((seconds) => seconds > 890 && seconds <= 900)).toBe(true);
  expect((await limiter.take('key-2')).allowed).toBe(true);
}

async function takesSeveral(limiter: RateLimiter): Promise<void> {
  expect(await limiter.take('document', 2)).toMatchObject({ allowed: true, remaining: 1 });
  expect(await limiter.take('document', 2)).toMatchObject({ allowed: false, remaining: 0 });
  expect((await limiter.take('document', 2)).resetSeconds).toBeGreaterThan(890);
}

describe('a bucket in memory', () => {
  it('allows as many requests as its limit, and each key has its own', () => takesThree(memoryRateLimiter(LIMIT)));

  it('counts several at once', () => takesSeveral(memoryRateLimiter(LIMIT)));

  it('starts anew when its window is over', async () => {
    const limiter = memoryRateLimiter({ limit: 1, windowSeconds: 1 });
    expect((await limiter.take('key')).allowed).toBe(true);
    expect((await limiter.take('key')).allowed).toBe(false);
    await expect.poll(async () => (await limiter.take('key')).allowed, { timeout: 5_000 }).toBe(true);
  });
});

describe('a bucket in Redis', () => {
  it('is shared by several adapters', async (context) => {
    const url = await startRedis();
    if (url === null) return context.skip('redis-server is not installed here');
    const [one, other] = [await connectRedis(url), await connectRedis(url)];
    onTestFinished(async () => { await one.quit(); await other.quit(); });
    await takesThree(redisRateLimiter(one, 'read', LIMIT));
    await takesSeveral(redisRateLimiter(one, 'read', LIMIT));
    expect((await redisRateLimiter(other, 'read', LIMIT).take('key-1')).allowed).toBe(false);
    expect((await redisRateLimiter(other, 'ingest', LIMIT).take('key-1')).allowed).toBe(true);
  });
});

/** A Redis of the test's own on a free port, or `null` where none is installed. */
async function startRedis(): Promise<string | null> {
  const directory = mkdtempSync(join(tmpdir(), 'redis-'));
  const port = 20_000 + (process.pid % 20_000);
  const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory], { stdio: 'ignore' });
  let missing = false;
  server.on('error', () => { missing = true; });
  onTestFinished(() => {
    server.kill();
    rmSync(directory, { recursive: true, force: true });
  });
  const url = `redis://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 100 && !missing; attempt += 1) {
    const redis = await connectRedis(url).catch(() => null);
    if (redis) {
      await redis.quit();
      return url;
    }
    await pause(50);
  }
  return null;
}
