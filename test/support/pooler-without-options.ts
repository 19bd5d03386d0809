/** A connection pooler that ignores the startup parameter `options`, as PgBouncer's `ignore_startup_parameters` does. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';

export interface Pooler {
  readonly target: ConnectionTarget;
  close(): Promise<void>;
}

export async function poolerWithoutOptions(upstream: ConnectionTarget): Promise<Pooler> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const toServer = upstream.host.startsWith('/')
      ? connect(`${upstream.host}/.s.PGSQL.${upstream.port}`)
      : connect(upstream.port, upstream.host);
    for (const [socket, other] of [
      [client, toServer],
      [toServer, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.once('data', (startup: Buffer) => {
      toServer.write(withoutOptions(startup));
      client.pipe(toServer);
    });
    toServer.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    target: { ...upstream, host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const INT32 = 4;

/** StartupMessage: its length, the protocol version, names and values that end with a zero byte, and a zero byte. */
function withoutOptions(startup: Buffer): Buffer {
  const texts = startup
    .subarray(2 * INT32)
    .toString()
    .split('\0')
    .slice(0, -2);
  const kept: string[] = [];
  for (let at = 0; at < texts.length; at += 2) if (texts[at] !== 'options') kept.push(texts[at]!, texts[at + 1]!);
  const body = Buffer.from(`${kept.map((text) => `${text}\0`).join('')}\0`);
  const head = Buffer.alloc(INT32);
  head.writeInt32BE(body.length + 2 * INT32);
  return Buffer.concat([head, startup.subarray(INT32, 2 * INT32), body]);
}
