/**
 * A proxy in front of PostgreSQL that counts connection attempts. While the server is away, it refuses connections as
 * the server would.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { undoLater } from '../support/cleanup.ts';

export interface CountingProxy {
  readonly port: number;
  /** Connection attempts since the start. */
  attempts(): number;
  /** Connections open now; with `after`, only those among attempts after that number. */
  open(after?: number): number;
  close(): Promise<void>;
}

export async function countingProxy(socketFile: string): Promise<CountingProxy> {
  /** Clients with their attempt numbers. */
  const clients = new Map<Socket, number>();
  let attempts = 0;
  const server = createServer((client) => {
    attempts += 1;
    clients.set(client, attempts);
    const upstream = connect(socketFile);
    client.setNoDelay(true);
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    client.on('close', () => {
      clients.delete(client);
      upstream.destroy();
    });
    upstream.on('error', () => client.resetAndDestroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const close = undoLater(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const client of clients.keys()) client.destroy();
    await closed;
  });
  return {
    port: (server.address() as AddressInfo).port,
    attempts: () => attempts,
    open: (after = 0) => [...clients.values()].filter((number) => number > after).length,
    close,
  };
}
