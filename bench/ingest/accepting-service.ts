/** A process of its own, by `start/run`: the whole service as `npm start` runs it, but for its jobs. What is accepted waits. */
import { runProcess } from '../../start/run-process.ts';
import { startService } from '../../start/start-service.ts';

await runProcess(async (config, _args, parts) => {
  const service = await startService(config, { jobs: false });
  parts.defer(() => service.stop());
  return null;
});
