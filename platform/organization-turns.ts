/** A job that works through all organizations that have rows in a table, one after the other. */
import type { OrganizationId } from '#kernel/ids.ts';
import { lookAcross } from './database/nodes/look-across.ts';
import type { Database } from './database/open-database.ts';
import type { Job } from './job-loop.ts';
import { unavailability } from './unavailability.ts';

const ORGANIZATIONS_PER_CHECK = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

interface Turns extends Pick<Job, 'name' | 'channel' | 'restMilliseconds'> {
  readonly database: Database;
  /** A tenant table. */
  readonly table: string;
  /** A limited amount of work for one organization. Returns true if more is left. */
  work(organizationId: OrganizationId): Promise<boolean>;
  /** The organization is tried again after the others. */
  onError(error: unknown, organizationId: OrganizationId): void;
}

/** Organizations take turns until none has work left. */
export function organizationTurns({ database, table, work, onError, ...job }: Turns): Job {
  let after = BEFORE_ALL;
  let organizations: string[] = [];
  let hasMore = false;
  return {
    ...job,
    async step() {
      const organizationId = organizations.shift();
      if (organizationId !== undefined) {
        try {
          hasMore = (await work(organizationId)) || hasMore;
        } catch (error) {
          if (unavailability(error) !== null) throw error;
          onError(error, organizationId);
        }
        return 'more';
      }
      organizations = await organizationsAfter(database, table, after);
      after = organizations.at(-1) ?? BEFORE_ALL;
      if (organizations.length > 0) return 'more';
      const outcome = hasMore ? 'more' : 'idle';
      hasMore = false;
      return outcome;
    },
  };
}

/** Organizations in order of their ids. */
async function organizationsAfter(database: Database, name: string, after: string): Promise<string[]> {
  const found = await lookAcross<{ organizationId: OrganizationId }>(database, {
    tables: [name],
    text: (table) =>
      `select distinct organization_id from ${table} where organization_id > $1 order by 1 limit ${ORGANIZATIONS_PER_CHECK}`,
    parameters: [after],
    compare: (one, other) => (one.organizationId < other.organizationId ? -1 : 1),
  });
  return found.map(({ organizationId }) => organizationId).slice(0, ORGANIZATIONS_PER_CHECK);
}
