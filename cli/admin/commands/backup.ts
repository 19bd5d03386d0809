/** `admin backup`: opens the databases itself, on the machine of the service or with its `DATABASE_URL`. */
import { PATH } from '../../kit/flags.ts';
import { runPart } from '../../kit/run-part.ts';
import type { Command } from '../command.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Copies the five databases into FOLDER while they serve, as one consistent set.',
  flags: {
    folder: { form: PATH, required: true, positional: true, about: 'a folder that is new or empty' },
    'with-secret': { about: 'puts the generated service secret into it, which opens what is encrypted' },
  },
  run: async (args) => ({
    output: await runPart('backup', [args.text('folder'), ...(args.has('with-secret') ? ['with-secret'] : [])], {
      givesWay: true,
    }),
  }),
};
