/** An attack on a thread of its own: what it takes to send it must not show in what others measure. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type Attacker, ATTACKS, type Outcome } from './attacks.ts';

interface Order {
  readonly name: string;
  readonly attacker: Attacker;
  readonly seconds: number;
}

export interface ReadyAttack {
  /** Resolves when it is over. */
  run(): Promise<Outcome>;
}

/** Resolves when everything that will be sent has been made. */
export async function prepareAttack({
  name,
  attacker: {
    service: { url, firstRun },
    ...attacker
  },
  seconds,
}: Order): Promise<ReadyAttack> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { name, attacker: { ...attacker, service: { url, firstRun } }, seconds },
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

if (parentPort) {
  const { name, attacker, seconds } = workerData as Order;
  const attack = ATTACKS[name]!(attacker);
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
