/** Role of this process among the workers, and the message by which a worker is stopped. */
import cluster from 'node:cluster';

export const isWorker: boolean = cluster.isWorker;

/** True if it has started workers. */
export function leadsWorkers(): boolean {
  return Object.keys(cluster.workers ?? {}).length > 0;
}

/** Message that tells a worker to stop. */
export const STOP = 'stop';

/** Terminals and supervisors also signal the workers. They ignore it: the first process tells them to stop. */
export function onStopOfWorker(heard: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.on('message', (message) => {
    if (message === STOP) heard();
  });
}
