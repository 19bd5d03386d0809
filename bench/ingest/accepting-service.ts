/**
 * A separate process, started by `start/run`: the whole service as `npm start` runs it, but without jobs, so accepted
 * events stay queued.
 */
import { runProcess } from '../../start/run-process.ts';
import { startService } from '../../start/start-service.ts';

await runProcess(async (config, _args, parts) => {
  const service = await startService(config, { jobs: false });
  parts.defer(() => service.stop());
  return null;
});
