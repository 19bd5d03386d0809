/** Allocates the fixed costs of all organizations, as soon as a day is settled or something it depends on has changed. */
import { lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { Job } from '#platform/job-loop.ts';
import { ALLOCATION_CHANNEL, ALLOCATION_REST_SECONDS, GLOBAL_TENANT } from '../config.ts';
import type { OpenAllocation } from './allocation-day.table.ts';
import { allocateOpenDay, findOpenAllocations } from './allocate-days.step.ts';

const ORGANIZATIONS_PER_CHECK = 100;

export function allocateFixedCostsJob({ database }: { readonly database: Database }): Job {
  let after = GLOBAL_TENANT;
  let organizations: string[] = [];
  let open: (OpenAllocation & { readonly organizationId: string })[] = [];
  return {
    name: 'allocate-fixed-costs',
    channel: ALLOCATION_CHANNEL,
    restMilliseconds: ALLOCATION_REST_SECONDS * 1_000,
    async step() {
      const next = open.shift();
      if (next !== undefined) {
        await allocateOpenDay(database, next.organizationId, next);
        return 'more';
      }
      if (organizations.length === 0) {
        organizations = await organizationsAfter(database, after);
        after = organizations.at(-1) ?? GLOBAL_TENANT;
        if (organizations.length === 0) return 'idle';
      }
      const organizationId = organizations.shift()!;
      const found = await findOpenAllocations(database, organizationId);
      open = found.map((each) => ({ ...each, organizationId }));
      return 'more';
    },
  };
}

/** Organizations with fixed costs, in order of their ids. */
async function organizationsAfter(database: Database, after: string): Promise<string[]> {
  const found = await lookAcross<{ organizationId: string }>(database, {
    tables: ['fixed_cost'],
    text: (table) =>
      `select distinct organization_id from ${table} where organization_id > $1 order by 1 limit ${ORGANIZATIONS_PER_CHECK}`,
    parameters: [after],
    compare: (one, other) => (one.organizationId < other.organizationId ? -1 : 1),
  });
  return found.map(({ organizationId }) => organizationId).slice(0, ORGANIZATIONS_PER_CHECK);
}
