/** In CI the same examples every time; elsewhere new ones, and a failure prints its seed and path. */
import fc from 'fast-check';

if (process.env['CI']) fc.configureGlobal({ seed: 20_261_122 });
