/** Allocates the fixed costs of all organizations, as soon as a day is settled or something it depends on has changed. */
import type { OrganizationId } from '#kernel/ids.ts';
import { lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { Job } from '#platform/job-loop.ts';
import type { Log } from '#platform/log.ts';
import { unavailability } from '#platform/unavailability.ts';
import { ALLOCATION_CHANNEL, ALLOCATION_REST_SECONDS, GLOBAL_TENANT } from '../config.ts';
import type { OpenAllocation } from './allocation-day.table.ts';
import { allocateOpenDay, findOpenAllocations } from './allocate-days.step.ts';

const ORGANIZATIONS_PER_CHECK = 100;

type OpenDay = OpenAllocation & { readonly organizationId: OrganizationId };

/** A round allocates a limited number of days of each organization. Rounds follow each other until all are allocated. */
export function allocateFixedCostsJob({ database, log }: { readonly database: Database; readonly log: Log }): Job {
  let after = GLOBAL_TENANT;
  let organizations: string[] = [];
  let open: OpenDay[] = [];
  let hasMore = false;
  const failures = failedDays(log);
  return {
    name: 'allocate-fixed-costs',
    channel: ALLOCATION_CHANNEL,
    restMilliseconds: ALLOCATION_REST_SECONDS * 1_000,
    async step() {
      const next = open[0];
      if (next !== undefined) {
        try {
          await allocateOpenDay(database, next.organizationId, next);
        } catch (error) {
          if (unavailability(error) !== null) throw error;
          failures.add(next, error);
        }
        open.shift();
        return 'more';
      }
      if (organizations.length === 0) {
        organizations = await organizationsAfter(database, after);
        after = organizations.at(-1) ?? GLOBAL_TENANT;
        if (organizations.length === 0) {
          if (!hasMore) failures.endRounds();
          const outcome = hasMore ? 'more' : 'idle';
          hasMore = false;
          return outcome;
        }
      }
      const organizationId = organizations.shift()!;
      const found = await findOpenAllocations(database, organizationId, failures.of(organizationId));
      open = found.days.map((each) => ({ ...each, organizationId }));
      hasMore ||= found.hasMore;
      return 'more';
    },
  };
}

/** Days that could not be allocated are skipped until the job's next pause, so that they do not delay the others. */
function failedDays(log: Log) {
  let failed: OpenDay[] = [];
  /** Fixed costs whose failure has been logged. */
  let logged = new Set<string>();
  return {
    add(open: OpenDay, error: unknown): void {
      failed.push(open);
      if (logged.has(open.fixedCostId)) return;
      logged.add(open.fixedCostId);
      log.error({ err: error, ...open }, 'A fixed cost could not be allocated to a day and will be tried again');
    },
    of: (organizationId: OrganizationId): readonly OpenDay[] =>
      failed.filter((open) => open.organizationId === organizationId),
    endRounds(): void {
      const ids = new Set(failed.map(({ fixedCostId }) => fixedCostId));
      logged = logged.intersection(ids);
      failed = [];
    },
  };
}

/** Organizations with fixed costs, in order of their ids. */
async function organizationsAfter(database: Database, after: string): Promise<string[]> {
  const found = await lookAcross<{ organizationId: OrganizationId }>(database, {
    tables: ['fixed_cost'],
    text: (table) =>
      `select distinct organization_id from ${table} where organization_id > $1 order by 1 limit ${ORGANIZATIONS_PER_CHECK}`,
    parameters: [after],
    compare: (one, other) => (one.organizationId < other.organizationId ? -1 : 1),
  });
  return found.map(({ organizationId }) => organizationId).slice(0, ORGANIZATIONS_PER_CHECK);
}
