/** `admin restore`: opens the databases itself, so it runs on the service's machine or with its `DATABASE_URL`. */
import { PATH } from '../../kit/flags.ts';
import { runPart } from '../../kit/run-part.ts';
import type { Command } from '../command.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'Loads the backup in FOLDER into empty databases. The service must be stopped.',
  flags: {
    folder: { form: PATH, required: true, positional: true, about: 'a folder written by `backup`' },
  },
  run: async (args) => ({ output: await runPart('restore', [args.text('folder')]) }),
};
