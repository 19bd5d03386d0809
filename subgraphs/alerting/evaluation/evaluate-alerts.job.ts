/**
 * Evaluation round over all organizations: evaluates those that are due, every minute. Several processes share them;
 * each claims organizations that no other has.
 */
import { later } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import type { Job } from '#platform/job-loop.ts';
import { EVALUATION_SECONDS, ORGANIZATIONS_PER_STEP } from '../config.ts';
import { listOrganizationIds } from '../figures/graph-reader.step.ts';
import { evaluateDue, type EvaluationDependencies } from './evaluate-due.step.ts';
import { addOrganizations } from './organization-evaluation.table.ts';

const REST_MILLISECONDS = 2_000;

/** `clock`: for tests, which simulate days within seconds. */
export function evaluateAlerts(dependencies: EvaluationDependencies, clock: () => Date = now): Job {
  const { database, gateway } = dependencies;
  let lookAgainAt: Date | null = null;
  return {
    name: 'evaluate-alerts',
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      const at = clock();
      if (lookAgainAt === null || at >= lookAgainAt) {
        for (let after: string | null = null; ;) {
          const page = await listOrganizationIds(gateway, after);
          if (page.length === 0) break;
          await database.system((tx) => addOrganizations(tx, page, at));
          after = page.at(-1) ?? null;
        }
        lookAgainAt = later(at, EVALUATION_SECONDS);
      }
      return (await evaluateDue(dependencies, at)) === ORGANIZATIONS_PER_STEP ? 'more' : 'idle';
    },
  };
}
