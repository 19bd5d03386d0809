/** `admin backup`: opens the databases itself, so it runs on the service's machine or with its `DATABASE_URL`. */
import { PATH } from '../../kit/flags.ts';
import { runPart } from '../../kit/run-part.ts';
import type { Command } from '../command.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Copies the five databases into FOLDER while they serve, as one consistent set.',
  flags: {
    folder: { form: PATH, required: true, positional: true, about: 'a folder that is new or empty' },
    'with-secret': { about: 'puts the generated service secret into it, which opens what is encrypted' },
    'full-speed': { about: 'leaves nothing to those who serve: for a machine that has nothing else to do' },
  },
  run: async (args) => {
    const flags = ['with-secret', 'full-speed'].filter((flag) => args.has(flag));
    const givesWay = !args.has('full-speed');
    return { output: await runPart('backup', [args.text('folder'), ...flags], { givesWay }) };
  },
};
