/** The same examples every time in CI; otherwise new ones, and a failure prints its seed and path. */
import fc from 'fast-check';

if (process.env['CI']) fc.configureGlobal({ seed: 20_261_122 });
