/** An attack on its own thread, so that the cost of sending it does not affect what others measure. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type Attacker, ATTACKS, type Outcome } from './attacks.ts';

interface Order {
  readonly name: string;
  readonly attacker: Attacker;
  readonly seconds: number;
  /**
   * Sends everything to a sink that responds once per this interval: measures the effect of the attacker's own
   * processor time on others.
   */
  readonly sinkMilliseconds?: number;
}

export interface ReadyAttack {
  /** Resolves when the attack is over. */
  run(): Promise<Outcome>;
}

/** Resolves when everything to be sent has been generated. */
export async function prepareAttack({
  name,
  attacker: {
    service: { url, firstRun },
    ...attacker
  },
  seconds,
  sinkMilliseconds,
}: Order): Promise<ReadyAttack> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { name, attacker: { ...attacker, service: { url, firstRun } }, seconds, sinkMilliseconds },
  });
  await once(worker, 'message');
  return {
    async run() {
      worker.postMessage('go');
      const [outcome] = (await once(worker, 'message')) as [Outcome];
      await worker.terminate();
      return outcome;
    },
  };
}

/** Discards requests. Ends with the thread. */
async function startSink(milliseconds: number): Promise<string> {
  let last: Promise<void> = Promise.resolve();
  const server = createServer((request, response) => {
    const isGraph = request.url === '/graphql';
    request.resume().once('end', () => {
      last = last.then(async () => {
        await pause(milliseconds);
        response.writeHead(request.method === 'POST' && !isGraph ? 202 : 200, { 'content-type': 'application/json' });
        response.end('{"data":{}}');
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

if (parentPort) {
  const { name, attacker, seconds, sinkMilliseconds } = workerData as Order;
  const { service } = attacker;
  const url = sinkMilliseconds === undefined ? service.url : await startSink(sinkMilliseconds);
  const attack = ATTACKS[name]!({ ...attacker, service: { ...service, url } });
  parentPort.postMessage('ready');
  await once(parentPort, 'message');
  const outcome: Outcome = { accepted: 0, refused: 0 };
  let over = false;
  setTimeout(() => {
    over = true;
  }, seconds * 1_000);
  await Promise.all([attack(() => over, outcome), pause(seconds * 1_000)]);
  parentPort.postMessage(outcome);
}
