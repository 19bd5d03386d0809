import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { PATIENCE } from './test/support/patience.ts';
import { RetriesAndSkips } from './test/support/retries-and-skips.ts';
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
    // For a slow machine: ordinary tests take seconds. Files that need more say why (`MINUTES`).
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: PATIENCE },
    reporters: ['default', new RetriesAndSkips()],
    // A shared machine can pause a test in the middle of an outage. More than one retried test fails the run.
    retry: process.env['CI'] ? 1 : 0,
    pool: 'forks',
    // Loading the service for each file took longer than the tests of most files.
    isolate: false,
    // One more than cores, since some tests wait for an outage to end. Each worker loads and starts the service once.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongFirst },
    env: { APOLLO_TELEMETRY_DISABLED: 'true' },
  },
});
