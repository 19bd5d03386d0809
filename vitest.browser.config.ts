/** Tests of the pages in a real browser: `npm run test:browser`. Needs Chromium; not part of `npm test`. */
import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    include: ['test/browser/**/*.test.ts'],
    exclude: [],
    // A browser on a busy machine takes its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Each worker spends much of its time waiting for its own browser.
    maxWorkers: 2,
  },
});
