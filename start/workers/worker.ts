/**
 * A worker: the whole service on a port shared by all workers. It is stopped by the first process, and ends with it.
 */
import { register } from 'prom-client';
import type { Config } from '#platform/config.ts';
import { createLog } from '#platform/log.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { locateDatabases } from '../locate-databases.ts';
import { type Service, startService } from '../start-service.ts';
import { connectCalls, type RemoteCalls } from './remote-calls.ts';
import { coreUsage } from './share-jobs.ts';
import { limitersOfWorkers } from './shared-limits.ts';

/** Time limit for responses of the first process. */
const ANSWER_MILLISECONDS_MAX = 5_000;

/** Tells the first process when it is ready. Parts to stop are added to `stops`. */
export async function startWorker(config: Config, stops: AsyncDisposableStack): Promise<void> {
  const log = createLog(config.logLevel);
  let service: Service | null = null;
  let runsJobs = false;
  const first: RemoteCalls = connectCalls(process, {
    metrics: () => register.getMetricsAsJSON(),
    readiness: async () => ({
      pid: process.pid,
      ...((await service?.readiness()) ?? { ready: false }),
      jobs: runsJobs,
    }),
    async jobs(wanted: boolean) {
      await service?.runJobs(wanted);
      runsJobs = wanted;
    },
    usage: coreUsage(),
  });
  const progress = (message: string) => void process.stderr.write(`${message}\n`);
  service = await startService(config, {
    log,
    progress,
    // The first process runs the embedded server.
    servers: locateDatabases(SUBGRAPH_NAMES, config, { progress, mayShare: true }),
    limiters: await limitersOfWorkers(config, log, first),
    printMetrics: () => first.ask('metrics', null, ANSWER_MILLISECONDS_MAX),
    servesOperations: false,
    jobs: false,
  });
  stops.defer(() => service?.stop());
  await first.ask('ready', null, ANSWER_MILLISECONDS_MAX);
}
