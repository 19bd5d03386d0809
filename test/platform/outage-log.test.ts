import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { logFailure, logOutage } from '#platform/outage-log.ts';
import { loggedLines } from '../support/logged-lines.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it('an outage is logged once when it begins, and once, with the number of failures, when it ends', () => {
  const { log, lines } = loggedLines('info');
  const fail = () => logOutage(log, 'The gateway', { state: 'unreachable', cause: 'ECONNREFUSED' });
  for (let request = 0; request < 30; request++) {
    fail();
    vi.advanceTimersByTime(1_000);
  }
  expect(lines).toMatchObject([{ level: 'warn', cause: 'ECONNREFUSED', msg: 'The gateway is unavailable' }]);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(1)).toMatchObject([
    { level: 'info', state: 'unreachable', failures: 30, seconds: 29, msg: 'The gateway: no more failures' },
  ]);
  fail();
  expect(lines.at(-1)).toMatchObject({ level: 'warn', msg: 'The gateway is unavailable' });
});

it('a repeated failure is logged once, and its end with the number of failures', () => {
  const { log, lines } = loggedLines('info');
  for (let request = 0; request < 3; request++) logFailure(log, 'A note could not be saved', new Error('full'));
  expect(lines).toMatchObject([{ level: 'warn', err: { message: 'full' }, msg: 'A note could not be saved' }]);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(1)).toMatchObject([
    { level: 'info', failures: 3, seconds: 0, msg: 'A note could not be saved: no more failures' },
  ]);
});

it('outages of different kinds, and of different dependencies, are logged separately', () => {
  const { log, lines } = loggedLines('info');
  logOutage(log, 'The gateway', { state: 'unreachable' });
  logOutage(log, 'The gateway', { state: 'unresponsive' });
  logOutage(log, 'The subgraph costing', { state: 'unreachable' });
  expect(lines).toHaveLength(3);
});
