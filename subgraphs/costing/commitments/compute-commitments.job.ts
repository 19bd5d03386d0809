/** Brings the commitments of all organizations up to date, as soon as a day is settled or something it depends on has changed. */
import { organizationTurns } from '#platform/organization-turns.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { Job } from '#platform/job-loop.ts';
import type { Log } from '#platform/log.ts';
import { COMMITMENT_CHANNEL, COMMITMENT_REST_SECONDS } from '../config.ts';
import { computeCommitments } from './compute-commitments.step.ts';

export function computeCommitmentsJob({ database, log }: { readonly database: Database; readonly log: Log }): Job {
  return organizationTurns({
    name: 'compute-commitments',
    channel: COMMITMENT_CHANNEL,
    restMilliseconds: COMMITMENT_REST_SECONDS * 1_000,
    database,
    table: 'commitment',
    work: (organizationId) => computeCommitments(database, organizationId),
    onError: (error, organizationId) =>
      log.error(
        { err: error, organizationId },
        "An organization's commitments could not be updated and will be tried again",
      ),
  });
}
