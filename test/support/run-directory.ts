/** What a test writes lies in the directory of its run: in memory where there is enough, and gone at the end. */
import { inject } from 'vitest';

// Rules alone are tested without a run's setup.
const directory: string | undefined = inject('runDirectory');
if (directory !== undefined) process.env['TMPDIR'] = directory;
