/** Takes what an attack sends and does nothing with it: what others notice then is what the attacker's own processor time costs them. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface Sink {
  readonly url: string;
  stop(): Promise<void>;
}

/** Answers one request every so many milliseconds, as the service did: on a thread of its own, so that it is not late. */
export async function startSink(millisecondsEach: number): Promise<Sink> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { millisecondsEach } });
  const [port] = (await once(worker, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await worker.terminate();
    },
  };
}

if (parentPort) {
  const { millisecondsEach } = workerData as { millisecondsEach: number };
  let last: Promise<void> = Promise.resolve();
  const server = createServer((request, response) => {
    const isGraph = request.url === '/graphql';
    request.resume().once('end', () => {
      last = last.then(async () => {
        await pause(millisecondsEach);
        response.writeHead(request.method === 'POST' && !isGraph ? 202 : 200, { 'content-type': 'application/json' });
        response.end('{"data":{}}');
      });
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort!.postMessage((server.address() as AddressInfo).port));
}
