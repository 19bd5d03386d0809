/**
 * `admin cluster distribute`: opens the databases itself, so it runs on the service's machine or with its
 * `DATABASE_URL`.
 */
import { runPart } from '../../kit/run-part.ts';
import type { Command } from '../command.ts';

export const clusterDistribute: Command = {
  name: 'cluster distribute',
  summary: 'Distributes costing and attribution over the Citus nodes by organization. The service must be stopped.',
  flags: {},
  run: async () => ({ output: await runPart('distribute', []) }),
};
