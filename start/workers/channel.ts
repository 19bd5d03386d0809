/** Whether this process is a worker or leads some, and how a worker hears that it is to stop. */
import cluster from 'node:cluster';

export const isWorker: boolean = cluster.isWorker;

/** Whether it has started workers. */
export function leadsWorkers(): boolean {
  return Object.keys(cluster.workers ?? {}).length > 0;
}

/** What the first process sends. */
export const STOP = 'stop';

/** Signals of a terminal or a supervisor reach workers as well, and mean nothing here: the first process passes them on. */
export function onStopOfWorker(heard: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.on('message', (message) => {
    if (message === STOP) heard();
  });
}
