import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { listen, type Listener } from '#platform/database/listen.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { type FaultProxy, faultProxy } from '../../support/fault-proxy.ts';
import { MINUTES } from '../../support/patience.ts';

// Waits until an outage is noticed, and until it is over.
vi.setConfig(MINUTES);

const log = pino({ level: 'silent' });
const listeners: Listener[] = [];
let proxy: FaultProxy;
let direct: ConnectionTarget;
let heard: string[];

beforeEach(async () => {
  direct = { ...inject('server'), dbName: 'postgres' };
  proxy = await faultProxy(direct);
  heard = [];
});

afterEach(async () => {
  proxy.set('none');
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
  await proxy.close();
});

async function start(channels = ['work']): Promise<Listener> {
  const listener = await listen(proxy.to(direct), channels, (channel) => heard.push(channel), log);
  listeners.push(listener);
  return listener;
}

function notify(channel = 'work'): Promise<unknown> {
  return withClient(direct, (client) => client.query(`notify ${channel}`));
}

/** Reconnected with one connection each, and listening. */
async function isBack(count = 1): Promise<void> {
  await expect.poll(() => heard.length).toBeGreaterThanOrEqual(count);
  await expect.poll(() => proxy.open()).toBe(count);
  heard.length = 0;
  await notify();
  await expect.poll(() => heard.length).toBe(count);
  // Time in which a message could arrive twice.
  await pause(1_000);
  expect([proxy.open(), heard.length]).toEqual([count, count]);
}

it('a listener wakes each channel when it starts, and receives notifications', async () => {
  await start(['work', 'rest']);
  expect(heard).toEqual(['work', 'rest']);
  await notify('rest');
  await expect.poll(() => heard).toEqual(['work', 'rest', 'rest']);
});

it('all listeners of a process together retry a refusing server at most twice a second, and each reconnects once', async () => {
  await Promise.all([start(), start(), start(), start()]);
  proxy.set('refuse');
  // At most two attempts a second, after the first ones; a busy machine may pause for longer than asked.
  const attemptsWhile = async (milliseconds: number) => {
    const [began, before] = [performance.now(), proxy.attempts()];
    await pause(milliseconds);
    return { attempts: proxy.attempts() - before, allowed: (2 * (performance.now() - began)) / 1000 };
  };
  heard.length = 0;
  proxy.cut();
  const first = await attemptsWhile(3_000);
  expect(first.attempts).toBeGreaterThan(0);
  expect(first.attempts).toBeLessThanOrEqual(first.allowed + 4);
  const later = await attemptsWhile(2_000);
  expect(later.attempts).toBeLessThanOrEqual(later.allowed + 1);
  expect(heard).toEqual([]);
  proxy.set('none');
  await isBack(4);
});

it.each(['end', 'reset'] as const)(
  'a connection lost by %s is replaced by one, and each channel is woken once',
  async (how) => {
    await start();
    heard.length = 0;
    proxy.cut(how);
    await expect.poll(() => heard).toEqual(['work']);
    await isBack();
  },
);

it('a connection with garbage is closed and retried', async () => {
  await start();
  heard.length = 0;
  proxy.set('garbage');
  proxy.cut();
  // Duration for which the connection receives garbage.
  await pause(1_500);
  proxy.set('none');
  await isBack();
});

it('a listener starts while the server is unavailable, and listens once it is back', async () => {
  proxy.set('refuse');
  await start();
  expect(heard).toEqual([]);
  proxy.set('none');
  await isBack();
});

it('a listener throws if the server refuses the connection for a reason other than an outage', async () => {
  await expect(listen({ ...direct, dbName: 'nowhere' }, ['work'], () => {}, log)).rejects.toMatchObject({
    code: '3D000',
  });
});

it('a listener closes its connection if it may not listen', async () => {
  await expect(listen(proxy.to(direct), ['work', ''], () => {}, log)).rejects.toMatchObject({ code: '42601' });
  await expect.poll(() => proxy.open()).toBe(0);
  expect(proxy.attempts()).toBe(1);
});

it('a listener closes while it connects to a frozen server', async () => {
  const listener = await start();
  proxy.set('freeze');
  proxy.cut();
  await expect.poll(() => proxy.attempts()).toBeGreaterThan(1);
  await listener.close();
  await expect.poll(() => proxy.open()).toBe(0);
});
