/**
 * Reporter that lists the retried and the skipped tests of a run, which would otherwise pass unnoticed. A run fails
 * after more than one retried test, since a race that shows once in ten runs must not stay green. It also fails after a
 * skipped test in a file that `MUST_NOT_SKIP` lists (paths, separated by spaces).
 */
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

const RETRIED_MAX = 1;

export class RetriesAndSkips implements Reporter {
  #isFiltered = false;

  onInit(vitest: Vitest): void {
    // All tests that do not match a pattern count as skipped.
    this.#isFiltered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const retried = tests.filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0);
    const skipped = this.#isFiltered ? [] : tests.filter((test) => test.result().state === 'skipped');
    print('Skipped tests', skipped);
    print(`Retried tests, at most ${RETRIED_MAX} allowed`, retried);
    const required = (process.env['MUST_NOT_SKIP'] ?? '').split(' ');
    const missed = skipped.filter((test) => required.includes(test.module.relativeModuleId));
    print('Tests that must not be skipped here, because what they need is installed', missed);
    if (retried.length > RETRIED_MAX || missed.length > 0) process.exitCode = 1;
  }
}

function print(title: string, tests: readonly TestCase[]): void {
  if (tests.length === 0) return;
  const lines = tests.map((test) => `  ${test.module.relativeModuleId} > ${test.fullName}${noteOf(test)}\n`);
  process.stdout.write(`\n${title} (${tests.length}):\n${lines.join('')}`);
}

function noteOf(test: TestCase): string {
  const result = test.result();
  return result.state === 'skipped' && result.note !== undefined ? `: ${result.note}` : '';
}
