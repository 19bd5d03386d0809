/** Brings the credits of all organizations up to date, as soon as a day is settled or something it depends on has changed. */
import { lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { Job } from '#platform/job-loop.ts';
import type { Log } from '#platform/log.ts';
import { unavailability } from '#platform/unavailability.ts';
import { CREDIT_CHANNEL, CREDIT_REST_SECONDS, GLOBAL_TENANT } from '../config.ts';
import { burnSettledDays } from './burn-settled-days.step.ts';

const ORGANIZATIONS_PER_CHECK = 100;

/** Organizations take turns, a limited number of days each. One that fails is logged and tried again after the rest. */
export function burnProviderCreditsJob({ database, log }: { readonly database: Database; readonly log: Log }): Job {
  let after = GLOBAL_TENANT;
  let organizations: string[] = [];
  let hasMore = false;
  return {
    name: 'burn-provider-credits',
    channel: CREDIT_CHANNEL,
    restMilliseconds: CREDIT_REST_SECONDS * 1_000,
    async step() {
      const organizationId = organizations.shift();
      if (organizationId !== undefined) {
        try {
          hasMore = (await burnSettledDays(database, organizationId)) || hasMore;
        } catch (error) {
          if (unavailability(error) !== null) throw error;
          log.error(
            { err: error, organizationId },
            "An organization's credits could not be updated and are tried again",
          );
        }
        return 'more';
      }
      organizations = await organizationsAfter(database, after);
      after = organizations.at(-1) ?? GLOBAL_TENANT;
      if (organizations.length > 0) return 'more';
      const outcome = hasMore ? 'more' : 'idle';
      hasMore = false;
      return outcome;
    },
  };
}

/** Organizations with credits, in order of their ids. */
async function organizationsAfter(database: Database, after: string): Promise<string[]> {
  const found = await lookAcross<{ organizationId: string }>(database, {
    tables: ['provider_credit'],
    text: (table) =>
      `select distinct organization_id from ${table} where organization_id > $1 order by 1 limit ${ORGANIZATIONS_PER_CHECK}`,
    parameters: [after],
    compare: (one, other) => (one.organizationId < other.organizationId ? -1 : 1),
  });
  return found.map(({ organizationId }) => organizationId).slice(0, ORGANIZATIONS_PER_CHECK);
}
