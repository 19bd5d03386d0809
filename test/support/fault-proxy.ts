/** A proxy between a service and a dependency that simulates faults of networks and servers. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * What happens to new connections and to data on existing ones: `refuse` resets new connections; `freeze` accepts them
 * but passes nothing on; `garbage` responds to everything with noise.
 */
type Fault = 'none' | 'refuse' | 'freeze' | 'garbage';

/** A host that begins with a slash is the directory of PostgreSQL's socket. */
interface Address {
  readonly host: string;
  readonly port: number;
}

export interface FaultProxy {
  /** The server, reached through the proxy. */
  to<Target extends Address>(target: Target): Target;
  /** Number of connection attempts so far. */
  attempts(): number;
  /** Connections that are open now. */
  open(): number;
  set(fault: Fault): void;
  /** Nothing passes any more on existing connections; new ones work. */
  swallow(): void;
  /** Delay of every chunk. */
  delay(milliseconds: number): void;
  /** Ends all connections, orderly or with a reset. */
  cut(how?: 'end' | 'reset'): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isSwallowed: boolean;
}

export async function faultProxy(upstream: Address): Promise<FaultProxy> {
  const pairs = new Set<Pair>();
  let fault: Fault = 'none';
  let attempts = 0;
  let delayed = 0;
  let thaw = Promise.withResolvers<null>();

  const forward = (pair: Pair, from: Socket, to: Socket): void => {
    let last = Promise.resolve();
    from.on('data', (chunk: Buffer) => {
      last = last.then(async () => {
        if (delayed > 0) await pause(delayed);
        while (fault === 'freeze') await thaw.promise;
        if (pair.isSwallowed) return;
        if (fault === 'garbage' && to === pair.client) to.write(noise());
        else if (!to.destroyed) to.write(chunk);
      });
    });
    from.on('error', () => {});
    from.on('close', () => void last.then(() => to.destroy()));
  };

  const server = createServer((client) => {
    attempts += 1;
    client.on('error', () => {});
    if (fault === 'refuse') {
      client.resetAndDestroy();
      return;
    }
    const toServer = upstream.host.startsWith('/')
      ? connect(`${upstream.host}/.s.PGSQL.${upstream.port}`)
      : connect(upstream.port, upstream.host);
    const pair = { client, server: toServer, isSwallowed: false };
    pairs.add(pair);
    client.once('close', () => pairs.delete(pair));
    client.setNoDelay(true);
    forward(pair, client, toServer);
    forward(pair, toServer, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    to: (target) => ({ ...target, host: '127.0.0.1', port }),
    attempts: () => attempts,
    open: () => pairs.size,
    set(next) {
      fault = next;
      thaw.resolve(null);
      thaw = Promise.withResolvers();
    },
    swallow() {
      for (const pair of pairs) pair.isSwallowed = true;
    },
    delay(milliseconds) {
      delayed = milliseconds;
    },
    cut(how = 'end') {
      for (const { client, server: toServer } of pairs) {
        if (how === 'reset') client.resetAndDestroy();
        else client.destroy();
        toServer.destroy();
      }
    },
    async close() {
      fault = 'none';
      thaw.resolve(null);
      const closed = new Promise((resolve) => server.close(resolve));
      for (const { client, server: toServer } of pairs) {
        client.destroy();
        toServer.destroy();
      }
      await closed;
    },
  };
}

/** An invalid response: a known message type with meaningless content, then unparsable data. */
function noise(): Buffer {
  return Buffer.concat([
    Buffer.from([0x44, 0, 0, 0, 12, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x00]),
    Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n'),
  ]);
}
