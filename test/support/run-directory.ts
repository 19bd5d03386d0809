/** Files written by tests are in the directory of their run: in memory if there is enough, and deleted at the end. */
import { inject } from 'vitest';

// Pure rules are tested without a run's setup.
const directory: string | undefined = inject('runDirectory');
if (directory !== undefined) process.env['TMPDIR'] = directory;
