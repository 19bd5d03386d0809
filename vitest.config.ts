import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { PATIENCE } from './test/support/patience.ts';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Longest first, so that no core waits for the last one at the end. */
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
    // Otherwise graphql is loaded twice: once as a module, once as CommonJS.
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
    // A machine that others use can pause a test in the middle of an outage. The second try is told in the output.
    retry: process.env['CI'] ? 1 : 0,
    pool: 'forks',
    // Loading the service for each file took more time than the tests of most.
    isolate: false,
    // More than cores: many tests wait for an outage to end, or for a process.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongFirst },
    env: { APOLLO_TELEMETRY_DISABLED: 'true' },
  },
});
