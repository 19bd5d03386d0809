import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { keyRing } from '../../platform/key-ring.ts';
import { anonymous } from '../../platform/principal.ts';
import { httpGatewayClient } from '../../platform/transports/http-gateway-client.ts';
import { httpSubgraph } from '../../platform/transports/http-subgraph.ts';
import { graphql } from '../../schema/graphql.ts';
import { freePort } from '../support/free-port.ts';
import { loggedLines } from '../support/logged-lines.ts';

const DOCUMENT = graphql(`query PricingBacklog {
  pricingBacklog { pendingEvents feedLag oldestPendingSeconds oldestUnacknowledgedSeconds }
}`);
const PRINCIPAL = { ...anonymous('correlation-1'), kind: 'api-key' as const };
const SIGNING = keyRing('signing', ['s'.repeat(32)]);
const AWAY = {
  errors: [
    { message: expect.stringContaining('not available for the moment'), extensions: { code: 'SERVICE_UNAVAILABLE' } },
  ],
};

async function peer(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ask(url: string) {
  const { log, lines } = loggedLines();
  const subgraph = httpSubgraph('costing', url, SIGNING, log);
  onTestFinished(() => subgraph.close());
  return { answer: await subgraph.execute('{ x }', {}, PRINCIPAL), lines };
}

it('a subgraph that is refused is away, and the log names it and the cause', async () => {
  const { answer, lines } = await ask(`http://127.0.0.1:${await freePort()}`);
  expect(answer).toEqual(AWAY);
  expect(lines).toMatchObject([
    {
      level: 'warn',
      subgraph: 'costing',
      state: 'unreachable',
      cause: 'ECONNREFUSED',
      correlationId: 'correlation-1',
      msg: 'The subgraph costing is away',
    },
  ]);
});

it.each([502, 503, 504])('so is one that answers %s', async (status) => {
  const { answer, lines } = await ask(await peer((_request, response) => response.writeHead(status).end('<html>')));
  expect(answer).toEqual(AWAY);
  expect(lines).toMatchObject([{ subgraph: 'costing', cause: `status ${status}` }]);
});

it('so is one that cuts the connection, and one that does not speak HTTP', async () => {
  expect((await ask(await peer((request) => request.socket.destroy()))).answer).toEqual(AWAY);
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.end('220 smtp.example ESMTP\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  expect((await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).answer).toEqual(AWAY);
});

it('one that takes the request and says nothing is away when its time is up', async () => {
  // The bound is twenty seconds: here they pass in a tenth of one.
  const inTime = AbortSignal.timeout.bind(AbortSignal);
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => inTime(milliseconds / 200));
  onTestFinished(() => timeout.mockRestore());
  const { answer, lines } = await ask(await peer(() => {}));
  expect(answer).toEqual(AWAY);
  expect(lines).toMatchObject([{ subgraph: 'costing', state: 'unresponsive', cause: 'TimeoutError' }]);
  expect(timeout).toHaveBeenCalledExactlyOnceWith(20_000);
});

it('what is no outage stays an error that names the subgraph', async () => {
  await expect(ask(await peer((_request, response) => response.writeHead(500).end()))).rejects.toThrow(
    'The subgraph costing answered with status 500',
  );
});

it('a gateway that is away fails with the code', async () => {
  const { log, lines } = loggedLines();
  const gateway = httpGatewayClient(`http://127.0.0.1:${await freePort()}`, SIGNING, log);
  onTestFinished(() => gateway.close());
  await expect(gateway.authenticate({ kind: 'session', token: 't' }, 'correlation-2')).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  await expect(gateway.execute(DOCUMENT, {}, PRINCIPAL)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(lines).toMatchObject([
    { peer: 'gateway', cause: 'ECONNREFUSED', correlationId: 'correlation-2' },
    { peer: 'gateway', cause: 'ECONNREFUSED' },
  ]);
});

it('nobody waits for a hanging peer when the process stops', async () => {
  const { log } = loggedLines();
  const arrived = Promise.withResolvers<null>();
  const subgraph = httpSubgraph('costing', await peer(() => arrived.resolve(null)), SIGNING, log);
  const requested = subgraph.execute('{ x }', {}, PRINCIPAL);
  await arrived.promise;
  await subgraph.close();
  expect(await requested).toEqual(AWAY);
});
