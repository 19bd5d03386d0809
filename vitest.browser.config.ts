/** The pages in a real browser: `npm run test:browser`. Needs Chromium; `npm test` leaves these tests out. */
import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    include: ['test/browser/**/*.test.ts'],
    exclude: [],
    // Each waits for its own browser a good part of the time.
    maxWorkers: 2,
  },
});
