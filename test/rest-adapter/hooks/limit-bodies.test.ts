import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LatestVisits, latestVisits } from '#kernel/latest-visits.ts';
import { answerError } from '../../../rest-adapter/answer-error.ts';
import { limitBodies } from '../../../rest-adapter/hooks/limit-bodies.ts';

let app: FastifyInstance;
let url: string;
/** Requests whose bodies were read and that wait for their responses. */
let held: (() => void)[];
/** Bodies that were read and are being decompressed. */
let unpacking: number;
/** High limits, unless a test is about them. */
let pace: { ordinaryMax: number; bytesASecond: number };
let visits: LatestVisits;

const start = async (more: Partial<typeof pace> = {}) => {
  pace = { ordinaryMax: 100_000, bytesASecond: 1, ...more };
  visits = latestVisits();
  held = [];
  unpacking = 0;
  app = fastify({ bodyLimit: 100_000 });
  app.setErrorHandler(answerError);
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // The body is decompressed while the caller disconnects.
  app.addContentTypeParser('packed/x', { parseAs: 'buffer' }, (request, _body, done) => {
    unpacking += 1;
    request.raw.socket.once('close', () => setImmediate(done, null, Buffer.alloc(90_000)));
  });
  const bodies = limitBodies({ bodyMax: 100_000, organizationMax: 200_000, totalMax: 500_000, ...pace }, visits);
  const principal = (request: { principal?: unknown; headers: Record<string, unknown> }) => {
    request.principal = { organizationId: request.headers['x-organization'] };
  };
  app.post(
    '/',
    {
      onRequest: [
        (request, _reply, done) => {
          principal(request as never);
          request.correlationId = 'test';
          // The key is authenticated while the caller disconnects.
          if (request.headers['x-late']) request.raw.socket.once('close', () => setImmediate(done));
          else done();
        },
        bodies.announced,
      ],
      preHandler: bodies.received,
    },
    () =>
      new Promise((resolve) => {
        held.push(() => resolve('done'));
      }),
  );
  url = await app.listen({ port: 0, host: '127.0.0.1' });
};
beforeEach(() => start());
afterEach(() => app.close());

const send = (organization: string, bytes: number, more: Partial<RequestInit> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'x-organization': organization, 'content-type': 'x/y' },
    body: 'x'.repeat(bytes),
    ...more,
  });
const isHeld = (count: number) => expect.poll(() => held.length).toBe(count);

it("the body limit refuses bodies beyond an organization's limit before reading them, and none of other organizations", async () => {
  const accepted = [send('a', 90_000), send('a', 90_000)];
  await isHeld(2);
  const refused = await send('a', 90_000);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refused.json()).toMatchObject({ success: false, error: { code: 'RATE_LIMIT_EXCEEDED' } });
  accepted.push(send('a', 1_000), send('b', 90_000));
  await isHeld(4);
  for (const end of held) end();
  expect((await Promise.all(accepted)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const again = send('a', 90_000);
  await isHeld(5);
  held.at(-1)!();
  expect((await again).status).toBe(200);
});

it('the body limit counts a body without a declared length once it has been read', async () => {
  const chunked = () => send('a', 0, { body: new Blob(['x'.repeat(90_000)]).stream(), duplex: 'half' } as never);
  const accepted = [chunked(), chunked()];
  await isHeld(2);
  expect((await chunked()).status).toBe(429);
  for (const end of held) end();
  await Promise.all(accepted);
});

it('the body limit forgets the body of a caller that disconnected', async () => {
  const leaving = new AbortController();
  const gone = [send('a', 90_000, { signal: leaving.signal }), send('a', 90_000, { signal: leaving.signal })].map(
    (request) => request.catch(() => 'gone'),
  );
  await isHeld(2);
  leaving.abort();
  await Promise.all(gone);
  await expect
    .poll(async () => {
      const after = send('a', 90_000);
      const answered = await Promise.race([
        after.then(({ status }) => status),
        new Promise((resolve) => {
          setTimeout(() => resolve('held'), 100);
        }),
      ]);
      return answered;
    })
    .toBe('held');
  for (const end of held) end();
});

it('the body limit delays only the next large body of an organization until the last one is paid off, and only while other organizations are served', async () => {
  await app.close();
  await start({ ordinaryMax: 20_000, bytesASecond: 10_000 });
  const accepted = [send('a', 90_000)];
  await isHeld(1);
  held[0]!();
  expect((await accepted[0]!).status).toBe(200);
  visits.record('a', performance.now());
  const alone = send('a', 90_000);
  await isHeld(2);
  held[1]!();
  expect((await alone).status).toBe(200);
  visits.record('b', performance.now());
  const refused = await send('a', 20_001);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(7);
  accepted.push(send('a', 20_000), send('a', 20_000), send('b', 90_000));
  await isHeld(5);
  for (const end of held) end();
  expect((await Promise.all(accepted)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

it('the body limit accepts a large body again once the last one is paid off, even one without a declared length', async () => {
  await app.close();
  await start({ ordinaryMax: 20_000, bytesASecond: 1_000_000 });
  const chunked = () => send('a', 0, { body: new Blob(['x'.repeat(90_000)]).stream(), duplex: 'half' } as never);
  visits.record('b', performance.now());
  const first = chunked();
  await isHeld(1);
  await expect
    .poll(async () => {
      const next = send('a', 90_000);
      return Promise.race([
        next.then(({ status }) => status),
        expect
          .poll(() => held.length)
          .toBe(2)
          .then(() => 200),
      ]);
    })
    .toBe(200);
  for (const end of held) end();
  await first;
});

it('the body limit keeps nothing of callers that disconnected before they were authenticated', async () => {
  const { port } = app.server.address() as AddressInfo;
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nX-Organization: a\r\nX-Late: 1\r\nContent-Type: x/y\r\n';
  for (const length of ['Content-Length: 90000', 'Transfer-Encoding: chunked', 'Content-Length: 90000']) {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${head}${length}\r\n\r\n`, () => socket.destroy());
    await once(socket, 'close');
  }
  const accepted = [send('a', 90_000), send('a', 90_000)];
  await isHeld(2);
  for (const answer of held) answer();
  for (const answer of accepted) expect((await answer).status).toBe(200);
});

it('the body limit leaves a body that is too large to the parser, even while the organization may send nothing', async () => {
  const accepted = [send('a', 90_000), send('a', 90_000)];
  await isHeld(2);
  expect([(await send('a', 90_000)).status, (await send('a', 100_001)).status]).toEqual([429, 413]);
  for (const answer of held) answer();
  for (const answer of accepted) await answer;
});

it('the body limit keeps nothing of callers that disconnected before their body was unpacked', async () => {
  const { port } = app.server.address() as AddressInfo;
  for (const count of [1, 2, 3]) {
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'POST / HTTP/1.1\r\nHost: a\r\nX-Organization: a\r\nContent-Type: packed/x\r\nContent-Length: 1\r\n\r\nx',
    );
    await expect.poll(() => unpacking).toBe(count);
    socket.destroy();
    await isHeld(count);
  }
  const accepted = [send('a', 90_000), send('a', 90_000)];
  await isHeld(5);
  for (const answer of held) answer();
  for (const answer of accepted) expect((await answer).status).toBe(200);
});
