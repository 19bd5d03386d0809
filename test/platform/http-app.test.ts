import { pino } from 'pino';
import { Pool } from 'undici';
import { expect, it } from 'vitest';
import { createHttpApp } from '../../start/http-app.ts';

it('a server that closes answers what is under way, and its connection ends with the answer', async () => {
  const app = createHttpApp(pino({ level: 'silent' }), () => Promise.resolve({ ready: true }), { trustedProxies: [] });
  const arrived = Promise.withResolvers<true>();
  const answer = Promise.withResolvers<string>();
  app.get('/slow', () => {
    arrived.resolve(true);
    return answer.promise;
  });
  const pool = new Pool(await app.listen({ port: 0, host: '127.0.0.1' }), { keepAliveTimeout: 600_000 });
  const asked = pool.request({ path: '/slow', method: 'GET' }).then(({ body }) => body.text());
  await arrived.promise;
  const closed = app.close();
  answer.resolve('here');
  expect(await asked).toBe('here');
  await closed;
  await pool.close();
}, 8_000);
