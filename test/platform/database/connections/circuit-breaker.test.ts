import { syncBuiltinESMExports } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';
import { mock } from 'node:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

/** A separate module instance: ticks of this process continue by the real clock. */
const own = '../../../../platform/database/connections/circuit-breaker.ts?own';
const { CircuitBreaker } = (await import(own)) as typeof import('#platform/database/connections/circuit-breaker.ts');

/** Simulated clock and timers of the circuit, in which hours pass at once. */
let now = 0;
const realTurn = turn;

beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  mock.timers.enable({ apis: ['setTimeout'] });
  syncBuiltinESMExports();
});
afterEach(() => {
  mock.timers.reset();
  syncBuiltinESMExports();
  vi.restoreAllMocks();
});

const STEP_MILLISECONDS = 100;
const refused = (code = 'ECONNREFUSED') => Promise.reject(Object.assign(new Error('refused'), { code }));

async function pass(seconds: number, during: () => unknown = () => {}): Promise<void> {
  const end = now + seconds * 1000;
  while (now < end) {
    now += STEP_MILLISECONDS;
    during();
    mock.timers.tick(STEP_MILLISECONDS);
    await realTurn();
  }
}

/** A server that can be unavailable, and a caller that keeps connecting to it. */
function server() {
  let isAway = false;
  let code: string | undefined;
  let tried = 0;
  /** Every nth attempt succeeds. */
  let places = 1;
  const connect = () => {
    tried += 1;
    return isAway || tried % places > 0 ? refused(code) : Promise.resolve();
  };
  const log: string[] = [];
  const breaker = new CircuitBreaker({
    server: 'The server',
    probe: connect,
    onOpen: () => log.push('away'),
    onClose: () => log.push('back'),
  });
  return {
    breaker,
    log,
    tried: () => tried,
    ask: () => void breaker.attempt(connect).catch(() => {}),
    set: (away: boolean, reason?: string) => {
      isAway = away;
      code = reason;
    },
    setPlaces: (count: number) => {
      places = count;
    },
  };
}

it.each([1, 5, 60, 600])(
  'a server that is unavailable for %s seconds while everyone connects gets at most two attempts a second, and is used again within two seconds',
  async (seconds) => {
    const { breaker, log, tried, ask, set } = server();
    set(true);
    await pass(seconds, ask);
    expect(breaker.outage).not.toBeNull();
    // The first few attempts fail concurrently.
    expect(tried()).toBeLessThanOrEqual(2 * seconds + 4);
    expect(tried()).toBeGreaterThanOrEqual(seconds / 2);
    set(false);
    const waiting = breaker.whenAvailable().then(() => 'goes on');
    await pass(2, ask);
    expect([breaker.outage, await waiting, log]).toEqual([null, 'goes on', ['away', 'back']]);
  },
);

it('several unavailable servers share the attempts', async () => {
  const servers = [server(), server(), server(), server()];
  for (const { set } of servers) set(true);
  await pass(60, () => servers.forEach(({ ask }) => ask()));
  expect(servers.reduce((sum, { tried }) => sum + tried(), 0)).toBeLessThanOrEqual(2 * 60 + 4 * 4);
  for (const { set } of servers) set(false);
  await pass(5, () => servers.forEach(({ ask }) => ask()));
  expect(servers.map(({ breaker }) => breaker.outage)).toEqual([null, null, null, null]);
});

it.each([2, 3, 4, 7])(
  'a server that admits only one of every %s attempts, because its connections are used up, is tried at most three times a second',
  async (places) => {
    const { tried, ask, setPlaces } = server();
    setPlaces(places);
    await pass(60, () => {
      for (let each = 0; each < 8; each += 1) ask();
    });
    expect(tried()).toBeLessThanOrEqual(3 * 60);
  },
);

it('a single failed connection blocks nobody: the server is probed at once, if it was healthy for a while', async () => {
  const { breaker, log, ask, set } = server();
  const failOnce = async () => {
    set(true);
    ask();
    await realTurn();
    set(false);
    await pass(0.2, ask);
  };
  await pass(2);
  await failOnce();
  expect([breaker.outage, log]).toEqual([null, ['away', 'back']]);
  await failOnce();
  expect(breaker.outage).not.toBeNull();
  await pass(2, ask);
  expect([breaker.outage, log]).toEqual([null, ['away', 'back', 'away', 'back']]);
});

it('an outage is reported with the cause of the last attempt: it may begin with a lost connection and continue with a full server', async () => {
  const { breaker, ask, set } = server();
  set(true, 'ECONNRESET');
  await pass(0.1, ask);
  expect(breaker.outage?.cause).toMatchObject({ code: 'ECONNRESET' });
  set(true, '53300');
  await pass(3, ask);
  expect(breaker.outage?.cause).toMatchObject({ code: '53300' });
});

it('a server is not tried without callers', async () => {
  const { tried, ask, set } = server();
  set(true);
  await pass(5, ask);
  await pass(3);
  const rested = tried();
  await pass(60);
  expect(tried()).toBe(rested);
});

it('a server that responds, but refuses for another reason, is available: callers see that reason', async () => {
  const { breaker, log, ask, set } = server();
  set(true);
  ask();
  await pass(3, ask);
  expect(log).toEqual(['away']);
  const wrongPassword = '28P01';
  set(true, wrongPassword);
  await pass(3, ask);
  expect(log).toEqual(['away', 'back']);
  await expect(breaker.attempt(() => refused(wrongPassword))).rejects.toMatchObject({ code: wrongPassword });
});
