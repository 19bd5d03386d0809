import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { keyRing } from '#platform/key-ring.ts';
import { anonymous, type Principal } from '#platform/principal.ts';
import { httpGatewayClient } from '#platform/transports/http-gateway-client.ts';
import { httpSubgraph } from '#platform/transports/http-subgraph.ts';
import { signedFor } from '#platform/transports/proof.ts';
import type { GraphQLAnswer } from '#platform/transports/subgraph-transport.ts';
import { graphql } from '#schema/graphql.ts';
import { faultProxy } from '../support/fault-proxy.ts';
import { freePort } from '../support/free-port.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { PATIENCE } from '../support/patience.ts';

const DOCUMENT = graphql(`query PricingBacklog {
  pricingBacklog { pendingEvents feedLag oldestPendingSeconds oldestUnacknowledgedSeconds }
}`);
const PRINCIPAL = { ...anonymous('correlation-1'), kind: 'api-key' as const };
const PROOF = signedFor('costing', keyRing('signing', ['s'.repeat(32)]));
const AWAY = {
  errors: [
    { message: expect.stringContaining('not available for the moment'), extensions: { code: 'SERVICE_UNAVAILABLE' } },
  ],
};

async function peer(answer: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: 72_000 }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ask(url: string) {
  const { log, lines } = loggedLines();
  const subgraph = httpSubgraph('costing', url, PROOF, log);
  onTestFinished(() => subgraph.close());
  return { answer: await subgraph.execute('{ x }', {}, PRINCIPAL), lines };
}

it('a subgraph that is refused is unavailable, and the log names it and the cause', async () => {
  const { answer, lines } = await ask(`http://127.0.0.1:${await freePort()}`);
  expect(answer).toEqual(AWAY);
  expect(lines).toMatchObject([
    {
      level: 'warn',
      subgraph: 'costing',
      state: 'unreachable',
      cause: 'ECONNREFUSED',
      correlationId: 'correlation-1',
      msg: 'The subgraph costing is unavailable',
    },
  ]);
});

it.each([502, 503, 504])('a subgraph that responds with %s is unavailable', async (status) => {
  const { answer, lines } = await ask(await peer((_request, response) => response.writeHead(status).end('<html>')));
  expect(answer).toEqual(AWAY);
  expect(lines).toMatchObject([{ subgraph: 'costing', cause: `status ${status}` }]);
});

it('a subgraph that rejects our signature is unavailable, and the log says what to compare', async () => {
  const { answer, lines } = await ask(await peer((_request, response) => response.writeHead(401).end('{}')));
  expect(answer).toEqual(AWAY);
  expect(lines).toMatchObject([
    { level: 'warn', cause: expect.stringMatching(/SERVICE_SECRET or SERVICE_TOKEN and the clocks/) },
  ]);
});

it('a subgraph that closes the connection, or does not speak HTTP, is unavailable', async () => {
  expect((await ask(await peer((request) => request.socket.destroy()))).answer).toEqual(AWAY);
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.end('220 smtp.example ESMTP\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  expect((await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).answer).toEqual(AWAY);
});

it('a subgraph that accepts the request and does not respond is unavailable after the time limit', async () => {
  // The limit of twenty seconds passes in a tenth of a second here.
  const inTime = AbortSignal.timeout.bind(AbortSignal);
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => inTime(milliseconds / 200));
  onTestFinished(() => timeout.mockRestore());
  const { answer, lines } = await ask(await peer(() => {}));
  expect(answer).toEqual(AWAY);
  expect(lines).toMatchObject([{ subgraph: 'costing', state: 'unresponsive', cause: 'TimeoutError' }]);
  expect(timeout).toHaveBeenCalledExactlyOnceWith(20_000);
});

it.each([
  ['status 500', 500, '{"message":"boom"}'],
  ['status 404, not JSON', 404, '<html>'],
  ['status 302', 302, ''],
  ['status 200, not JSON', 200, '<html>'],
  ['status 200 without data or errors', 200, '{}'],
  ['status 200, not a JSON object', 200, '[]'],
  ['not a GraphQL answer', 200, '{"data":7}'],
])('a subgraph with an invalid response is unavailable: %s', async (cause, status, body) => {
  const { answer, lines } = await ask(await peer((_request, response) => response.writeHead(status).end(body)));
  expect(answer).toEqual(AWAY);
  expect(lines).toMatchObject([
    {
      level: 'error',
      subgraph: 'costing',
      cause: expect.stringContaining(cause),
      correlationId: 'correlation-1',
      msg: 'The subgraph costing returned an invalid response',
    },
  ]);
});

it('a subgraph with an endless response is unavailable, and at most 64 MiB of it are read', async () => {
  const { answer, lines } = await ask(
    await peer((_request, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 32);
      const write = (): void => {
        while (!response.destroyed) if (!response.write(chunk)) return void response.once('drain', write);
      };
      write();
    }),
  );
  expect(answer).toEqual(AWAY);
  expect(lines).toMatchObject([{ cause: 'The response is larger than 67108864 bytes' }]);
});

it('an unavailable gateway fails with the code', async () => {
  const { log, lines } = loggedLines();
  const gateway = httpGatewayClient(`http://127.0.0.1:${await freePort()}`, PROOF, log);
  onTestFinished(() => gateway.close());
  await expect(gateway.authenticate({ kind: 'session', token: 't' }, 'correlation-2')).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  await expect(gateway.execute(DOCUMENT, {}, PRINCIPAL)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  // One line for the outage, with the first request.
  expect(lines).toMatchObject([{ peer: 'gateway', cause: 'ECONNREFUSED', correlationId: 'correlation-2' }]);
});

it('nobody waits for a hanging peer when the process stops', async () => {
  const { log } = loggedLines();
  const arrived = Promise.withResolvers<null>();
  const subgraph = httpSubgraph('costing', await peer(() => arrived.resolve(null)), PROOF, log);
  const requested = subgraph.execute('{ x }', {}, PRINCIPAL);
  await arrived.promise;
  await subgraph.close();
  expect(await requested).toEqual(AWAY);
});

describe('a peer that becomes unavailable', () => {
  const open = async (answer: RequestListener = answerEmpty) => {
    const proxy = await faultProxy({ host: '127.0.0.1', port: Number(new URL(await peer(answer)).port) });
    const { host, port } = proxy.to({ host: '', port: 0 });
    const subgraph = httpSubgraph('costing', `http://${host}:${port}`, PROOF, loggedLines().log);
    onTestFinished(async () => {
      await subgraph.close();
      await proxy.close();
    });
    return { proxy, send: (principal: Principal = PRINCIPAL) => subgraph.execute('{ x }', {}, principal) };
  };
  /** A server that responds to thirty requests at a time. */
  const storm = async (send: () => Promise<GraphQLAnswer>) => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => send()));
    return [...new Set(answers.map(({ errors }) => errors?.[0]?.extensions?.['code'] ?? 'ok'))];
  };

  it('is tried at most twice a second, however many callers wait; they fail at once, and later all recover', async () => {
    const { proxy, send } = await open();
    expect(await storm(send)).toEqual(['ok']);
    proxy.set('refuse');
    proxy.cut('reset');
    const [began, before] = [performance.now(), proxy.attempts()];
    while (performance.now() < began + 3_000) {
      expect(await storm(send)).toEqual(['SERVICE_UNAVAILABLE']);
      await pause(20);
    }
    const seconds = (performance.now() - began) / 1000;
    expect(proxy.attempts() - before).toBeGreaterThan(1);
    expect(proxy.attempts() - before).toBeLessThanOrEqual(2 * seconds + 4);
    proxy.set('none');
    await vi.waitFor(async () => expect(await send()).toEqual(EMPTY), PATIENCE);
    expect(await storm(send)).toEqual(['ok']);
  });

  it('and is frozen keeps nobody waiting, not even an operator', async () => {
    const { proxy, send } = await open();
    await storm(send);
    proxy.set('freeze');
    expect(await Promise.all([send(), send({ ...PRINCIPAL, kind: 'operator' })])).toEqual([AWAY, AWAY]);
    const before = proxy.attempts();
    expect(await storm(send)).toEqual(['SERVICE_UNAVAILABLE']);
    expect(proxy.attempts() - before).toBeLessThanOrEqual(2);
    proxy.set('none');
    await vi.waitFor(async () => expect(await send()).toEqual(EMPTY), PATIENCE);
  });

  it('does not interrupt a slow response', async () => {
    const { send } = await open((request, response) => {
      if (request.url === '/healthz') response.end('{}');
      else setTimeout(() => answerEmpty(request, response), 9_000);
    });
    expect(await send()).toEqual(EMPTY);
  });

  it('that keeps its connections open: none of them is reused once a probe finds it healthy', async () => {
    const { proxy, send } = await open();
    await Promise.all(Array.from({ length: 60 }, () => send()));
    proxy.swallow();
    const answered = async () => Promise.race([send(), pause(300)]);
    // Each request needs another connection: many more than are tried before the check.
    await vi.waitFor(async () => expect(await answered()).toEqual(EMPTY), { ...PATIENCE, interval: 300 });
    expect(await storm(send)).toEqual(['ok']);
  });

  it('that keeps its connections open: none of them is reused after a request timed out', async () => {
    const inTime = AbortSignal.timeout.bind(AbortSignal);
    const { proxy, send } = await open();
    await storm(send);
    proxy.swallow();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => inTime(milliseconds / 40));
    onTestFinished(() => timeout.mockRestore());
    expect(await send()).toEqual(AWAY);
    timeout.mockRestore();
    expect(await storm(send)).toEqual(['ok']);
  });
});

const EMPTY = { data: {} };

function answerEmpty(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  response.end('{"data":{}}');
}
