/** `admin compact`: opens the databases itself, so it runs on the service's machine or with its `DATABASE_URL`. */
import { runPart } from '../../kit/run-part.ts';
import type { Command } from '../command.ts';

export const compact: Command = {
  name: 'compact',
  summary:
    'Rewrites tables that are at least a fifth free space, so that the disk gets it back. Requests that need a table wait while it is rewritten.',
  flags: { 'dry-run': { about: 'only count what is free, with VACUUM' } },
  run: async (args) => ({ output: await runPart('compact', args.has('dry-run') ? ['dry-run'] : []) }),
};
