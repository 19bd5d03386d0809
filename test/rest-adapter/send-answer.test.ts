import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answerError } from '../../rest-adapter/answer-error.ts';
import { answerSender } from '../../rest-adapter/send-answer.ts';

/** Much more than socket buffers hold. */
const LONG = { list: Array.from({ length: 40_000 }, (_, index) => ({ index, text: 'x'.repeat(800) })) };
const LENGTH = JSON.stringify(LONG).length;
/** Sent in parts; its characters have up to four bytes. */
const MEDIUM = { list: Array.from({ length: 3_000 }, (_, index) => ({ index, text: 'ä€😀'.repeat(20) })) };

let app: FastifyInstance;
/** Responses to a caller that had disconnected. */
let left: number;
let port: number;
beforeEach(async () => {
  app = fastify();
  left = 0;
  app.setErrorHandler(answerError);
  app.addHook('onRequest', (request, _reply, done) => {
    request.principal = { organizationId: request.headers['x-organization'] } as never;
    request.correlationId = 'test';
    done();
  });
  const [patient, hasty] = [120_000, 50].map((takenWithinMilliseconds) =>
    answerSender({ bytesMax: 1.5 * LENGTH, takenWithinMilliseconds }),
  );
  app.get('/long', (request, reply) => patient!(request, reply, LONG));
  app.get('/medium', (request, reply) => patient!(request, reply, MEDIUM));
  app.get('/late', async (request, reply) => {
    await once(request.raw.socket, 'close');
    await patient!(request, reply, LONG);
    left += 1;
  });
  app.get('/short', (request, reply) => patient!(request, reply, { short: true }));
  app.get('/hasty', (request, reply) => hasty!(request, reply, LONG));
  await app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = app.server.address() as AddressInfo);
});
afterEach(() => app.close());

const get = (path: string, organization: string) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-organization': organization } });

/** Sends a request and reads only the first bytes. */
async function slowReader(path: string, organization: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-Organization: ${organization}\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

it('the service sends printed text, short or long', async () => {
  expect(await (await get('/short', 'a')).text()).toBe('{"short":true}');
  const medium = await get('/medium', 'a');
  const text = JSON.stringify(MEDIUM);
  expect([medium.headers.get('content-length'), medium.headers.get('transfer-encoding')]).toEqual([
    String(Buffer.byteLength(text)),
    null,
  ]);
  expect(await medium.text()).toBe(text);
  const long = await get('/long', 'a');
  expect([long.headers.get('content-type'), await long.text()]).toEqual([
    'application/json; charset=utf-8',
    JSON.stringify(LONG),
  ]);
});

it('the service keeps a limited number of bytes for an organization that does not read its responses, and refuses no other organization', async () => {
  const reader = await slowReader('/long', 'a');
  const refused = await get('/long', 'a');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect((await get('/short', 'a')).status).toBe(200);
  expect((await (await get('/long', 'b')).text()).length).toBe(LENGTH);
  reader.destroy();
  const status = async () => {
    const answer = await get('/long', 'a');
    // If the response stays unread, the server cannot close.
    await answer.body?.cancel();
    return answer.status;
  };
  await expect.poll(status).toBe(200);
});

it('the service closes the connection of a reader that takes too long', async () => {
  const reader = await slowReader('/hasty', 'a');
  await expect
    .poll(
      () =>
        new Promise((resolve) => {
          app.server.getConnections((_error, count) => resolve(count));
        }),
    )
    .toBe(0);
  reader.resume();
  let bytes = 0;
  reader.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(reader, 'close');
  expect(bytes).toBeLessThan(LENGTH);
});

it('the service keeps nothing for a caller that disconnected before the response', async () => {
  for (const requested of [1, 2]) {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /late HTTP/1.1\r\nHost: a\r\nX-Organization: a\r\n\r\n', () => socket.destroy());
    await expect.poll(() => left).toBe(requested);
  }
  expect((await (await get('/long', 'a')).text()).length).toBe(LENGTH);
});
