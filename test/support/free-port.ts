/**
 * Free ports, for services that must know their own address before they start. They are below the operating systems'
 * ephemeral ports. Each worker of a run has its own range, and no port is used twice, so that no other process takes a
 * port between the check and the start. The operations port, a thousand above, is free too.
 */
import { createServer } from 'node:net';

const LEAST = 10_240;
const OPERATIONS_OFFSET = 1_000;
const PORTS_OF_WORKER = 2 * OPERATIONS_OFFSET;
/** Number of workers that fit below the ephemeral ports. */
const WORKERS_MAX = 11;

const least = LEAST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS_MAX) * PORTS_OF_WORKER;
/** Starts at a port that differs by process, so that several runs on one machine rarely use the same ports. */
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
