import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { PATIENCE } from './test/support/patience.ts';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Longest first, so that no core idles while the last one finishes. */
const LONG = /test\/(chaos|cli|system|packages|platform\/database)\//;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  resolve: {
    // Prevents graphql from being loaded twice, as an ES module and as CommonJS.
    alias: [
      { find: /^graphql$/, replacement: fileURLToPath(new URL('./node_modules/graphql/index.js', import.meta.url)) },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/fixed-seeds.ts', 'test/support/run-directory.ts'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: PATIENCE },
    // A shared machine can pause a test in the middle of an outage. The output reports retries.
    retry: process.env['CI'] ? 1 : 0,
    pool: 'forks',
    // Loading the service for each file took longer than the tests of most files.
    isolate: false,
    // More than cores, since many tests wait for an outage to end, or for a process.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongFirst },
    env: { APOLLO_TELEMETRY_DISABLED: 'true' },
  },
});
