import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RunningServer } from '../../../packages/embedded-postgres/launch-server.ts';
import { superviseServer } from '../../../packages/embedded-postgres/supervise-server.ts';

interface Server extends RunningServer {
  die(how: string): void;
  isStopped: boolean;
}

function server(): Server {
  const { promise, resolve } = Promise.withResolvers<string>();
  const self: Server = {
    ended: promise,
    die: resolve,
    isStopped: false,
    async stop() {
      self.isStopped = true;
      resolve('exit code 0');
    },
  };
  return self;
}

const servers: Server[] = [];
let lost: Error[];

beforeEach(() => {
  vi.useFakeTimers();
  servers.length = 0;
  lost = [];
});
afterEach(() => void vi.useRealTimers());

function supervise(relaunch: () => Promise<RunningServer>) {
  servers.push(server());
  return superviseServer(servers[0]!, { relaunch, onProgress: () => {}, onLost: (error) => lost.push(error) });
}

async function relaunch(): Promise<RunningServer> {
  servers.push(server());
  return servers.at(-1)!;
}

it('the supervisor gives up on a server that cannot be started, and says why', async () => {
  let attempts = 0;
  supervise(async () => {
    attempts += 1;
    throw new Error('No space left on device');
  });
  servers[0]!.die('signal SIGABRT');
  await vi.advanceTimersByTimeAsync(60_000);
  expect([attempts, lost.map(({ message }) => message)]).toEqual([6, ['No space left on device']]);
});

it('the supervisor gives up on a server that keeps dying, but not on one that runs in between', async () => {
  supervise(relaunch);
  for (let death = 1; death <= 20; death++) {
    await vi.advanceTimersByTimeAsync(70_000);
    servers.at(-1)!.die('signal SIGKILL');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(servers).toHaveLength(death + 1);
  }
  for (let death = 1; death <= 7; death++) {
    servers.at(-1)!.die('signal SIGKILL');
    await vi.advanceTimersByTimeAsync(15_000);
  }
  expect(lost.map(({ message }) => message)).toEqual(['PostgreSQL exited unexpectedly (signal SIGKILL)']);
});

it('the supervisor stops the current server, even one that is just starting', async () => {
  const slow = Promise.withResolvers<Server>();
  const supervised = supervise(() => slow.promise);
  servers[0]!.die('exit code 1');
  await vi.advanceTimersByTimeAsync(1_000);
  const stopped = supervised.stop();
  const late = server();
  slow.resolve(late);
  await stopped;
  expect([late.isStopped, lost]).toEqual([true, []]);
});
