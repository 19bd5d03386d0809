import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { PATIENCE } from './test/support/patience.ts';
import { RetriesAndSkips } from './test/support/retries-and-skips.ts';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take minutes begin first, then files that mostly take longer than others: no core idles at the end. */
const LONGEST =
  /test\/(system\/(many-nodes|bounded-input|database-troubles|backup|several-workers|separate-processes|change-of-secret|upgrade\/|outage|supergraph-file)|packages\/sdk-python)/;
const LONG =
  /test\/(chaos|cli|demo|system|packages|platform\/database)\/|dashboard\/pages\/(sample|owner)\.|gateway\/(failing-subgraphs|odd-arguments)|alerting\/evaluation\/evaluation\.|otlp\/instrumentations|revenue\/sync\/faults/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => (LONGEST.test(moduleId) ? 0 : LONG.test(moduleId) ? 1 : 2);
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
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
