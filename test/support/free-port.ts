/**
 * Ports that no one listens on, for services that must know their own address before they start. They lie below those that systems give
 * to connections and to those who take any port, each worker of a run has its own, and no one is given one twice: between the looking and
 * the start no one gets it by chance. The port for operators, a thousand above, is as free.
 */
import { createServer } from 'node:net';

const LEAST = 10_240;
const OPERATIONS_OFFSET = 1_000;
const PORTS_OF_WORKER = 2 * OPERATIONS_OFFSET;
/** As many workers as fit below the ports that systems give away. */
const WORKERS_MAX = 11;

const least = LEAST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS_MAX) * PORTS_OF_WORKER;
/** Elsewhere each time: another run on the same machine begins at another one. */
let next = process.pid;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = least + (next++ % OPERATIONS_OFFSET);
    if ((await isFree(port)) && (await isFree(port + OPERATIONS_OFFSET))) return port;
  }
}

export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
