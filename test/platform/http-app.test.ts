import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { Pool } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHttpApp } from '../../start/http-app.ts';
import { PATIENCE } from '../support/patience.ts';

it('a closing server answers running requests, and closes their connections afterwards', async () => {
  const app = createHttpApp(pino({ level: 'silent' }), () => Promise.resolve({ ready: true }), { trustedProxies: [] });
  const arrived = Promise.withResolvers<true>();
  const answer = Promise.withResolvers<string>();
  app.get('/slow', () => {
    arrived.resolve(true);
    return answer.promise;
  });
  const pool = new Pool(await app.listen({ port: 0, host: '127.0.0.1' }), { keepAliveTimeout: 600_000 });
  const requested = pool.request({ path: '/slow', method: 'GET' }).then(({ body }) => body.text());
  await arrived.promise;
  // With fake timers, the server's time limit for closing connections never passes.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const closed = app.close();
  answer.resolve('here');
  expect(await requested).toBe('here');
  await closed;
  await pool.close();
});

it('a request that is completed while the server closes is answered as usual', async () => {
  const app = createHttpApp(pino({ level: 'silent' }), () => Promise.resolve({ ready: true }), { trustedProxies: [] });
  const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(url.port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(socket, 'connect');
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n');
  await vi.waitFor(
    async () =>
      expect(await new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)))).toBe(1),
    PATIENCE,
  );
  // Once a later request has been answered, the first lines of this one have been read.
  await fetch(new URL('/healthz', url));
  const closed = app.close();
  socket.write('\r\n');
  await once(socket, 'close');
  await closed;
  expect(text).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*{"status":"ok"}$/i);
});

describe('idle connections', () => {
  const quiet = pino({ level: 'silent' });
  const ready = () => Promise.resolve({ ready: true });
  const open = async (port: number): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  const isCut = async (socket: Socket) => socket.closed || (await once(socket, 'close'), true);

  it('are closed beyond the limit of their address, until one of them ends; others are served', async () => {
    const app = createHttpApp(quiet, ready, { trustedProxies: [], connectionsPerAddress: 3 });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const held = await Promise.all([open(port), open(port), open(port)]);
    expect(await isCut(await open(port))).toBe(true);
    expect(held.map(({ closed }) => closed)).toEqual([false, false, false]);
    held[0]!.destroy();
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null))?.status)
      .toBe(200);
    for (const socket of held) socket.destroy();
    await app.close();
  });

  it('do not count for a trusted proxy', async () => {
    const app = createHttpApp(quiet, ready, {
      trustedProxies: ['10.0.0.0/8', '127.0.0.0/8'],
      connectionsPerAddress: 1,
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const held = await Promise.all([open(port), open(port), open(port)]);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    for (const socket of held) socket.destroy();
    await app.close();
  });

  it('are closed if nothing arrives, and so are requests that never end', async () => {
    const app = createHttpApp(quiet, ready, { trustedProxies: [] });
    expect([app.server.headersTimeout, app.server.requestTimeout, app.server.maxConnections]).toEqual([
      10_000, 60_000, 8_192,
    ]);
    app.server.headersTimeout = 50;
    app.server.requestTimeout = 100;
    app.post('/', () => 'never');
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const [idle, slow] = await Promise.all([open(port), open(port)]);
    for (const socket of [idle, slow]) socket.resume();
    slow.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{');
    expect(await Promise.all([isCut(idle), isCut(slow)])).toEqual([true, true]);
    await app.close();
  });
});
