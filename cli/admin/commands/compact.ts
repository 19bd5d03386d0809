/** `admin compact`: opens the databases itself, so it runs on the service's machine or with its `DATABASE_URL`. */
import { runPart } from '../../kit/run-part.ts';
import type { Command } from '../command.ts';

export const compact: Command = {
  name: 'compact',
  summary:
    'Rewrites tables of which at least a fifth is free space, and returns that space to the disk. Requests that need a table wait while it is rewritten.',
  flags: { 'dry-run': { about: 'only measure the free space, with VACUUM' } },
  run: async (args) => ({ output: await runPart('compact', args.has('dry-run') ? ['dry-run'] : []) }),
};
