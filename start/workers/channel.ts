/** Whether this process is a worker, and how it hears that it is to stop. */
import cluster from 'node:cluster';

export const isWorker: boolean = cluster.isWorker;

/** What the first process sends. */
export const STOP = 'stop';

/** Signals of a terminal or a supervisor reach workers as well, and mean nothing here: the first process passes them on. */
export function onStopOfWorker(heard: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.on('message', (message) => {
    if (message === STOP) heard();
  });
}
