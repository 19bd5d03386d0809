/** `admin backup`: opens the databases itself, so it runs on the service's machine or with its `DATABASE_URL`. */
import { PATH } from '../../kit/flags.ts';
import { runPart } from '../../kit/run-part.ts';
import type { Command } from '../command.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Copies the six databases into FOLDER as one consistent set, while the service runs.',
  flags: {
    folder: { form: PATH, required: true, positional: true, about: 'a folder that is new or empty' },
    'with-secret': { about: 'include the generated service secret, which can decrypt the stored secrets' },
    'full-speed': { about: 'use all CPU: for a machine that does nothing else' },
  },
  run: async (args) => {
    const flags = ['with-secret', 'full-speed'].filter((flag) => args.has(flag));
    const givesWay = !args.has('full-speed');
    return { output: await runPart('backup', [args.text('folder'), ...flags], { givesWay }) };
  },
};
