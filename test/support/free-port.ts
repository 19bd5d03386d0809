/**
 * A port that no one listens on, for a service that must know its own address before it starts. It lies below those that systems give
 * to connections and to those who take any port: between the looking and the start no one gets it by chance.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const LEAST = 10_240;
const MOST = 32_767;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LEAST, MOST + 1);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
