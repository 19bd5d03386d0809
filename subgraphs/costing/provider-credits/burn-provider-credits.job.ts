/** Brings the credits of all organizations up to date, as soon as a day is settled or something it depends on has changed. */
import type { Database } from '#platform/database/open-database.ts';
import type { Job } from '#platform/job-loop.ts';
import type { Log } from '#platform/log.ts';
import { organizationTurns } from '#platform/organization-turns.ts';
import { CREDIT_CHANNEL, CREDIT_REST_SECONDS } from '../config.ts';
import { burnSettledDays } from './burn-settled-days.step.ts';

export function burnProviderCreditsJob({ database, log }: { readonly database: Database; readonly log: Log }): Job {
  return organizationTurns({
    name: 'burn-provider-credits',
    channel: CREDIT_CHANNEL,
    restMilliseconds: CREDIT_REST_SECONDS * 1_000,
    database,
    table: 'provider_credit',
    work: (organizationId) => burnSettledDays(database, organizationId),
    onError: (error, organizationId) =>
      log.error(
        { err: error, organizationId },
        "An organization's credits could not be updated and will be tried again",
      ),
  });
}
