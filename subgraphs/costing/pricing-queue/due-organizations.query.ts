/** Finds the organizations with due jobs, beginning after the one that was served last. */
import type { OrganizationId } from '#kernel/ids.ts';
import { coversAllOrganizations } from '#platform/database/nodes/distribution.ts';
import { inTurn, lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import { PRICING_EVENTS_MIN } from '../config.ts';
import { IS_DUE } from './pricing-job.table.ts';

/** Sorts before every organization. */
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The organization served last. */
export interface Turn {
  organizationId: OrganizationId;
  /** True if nothing was due. */
  isQuiet: boolean;
}

const DUE_ORGANIZATIONS_MAX = 20;

/**
 * On several nodes: the organizations with due jobs, from the one after the last served on, found without a lock. On one node: null, since claiming
 * jobs also finds the organizations. If nothing was due last time, first checks if anything is, which costs a fraction
 * of a transaction.
 */
export async function findDueOrganizations(database: Database, turn: Turn): Promise<string[] | null> {
  if (coversAllOrganizations(database.orm)) return turn.isQuiet && !(await isAnyDue(database)) ? [] : null;
  const due = await lookAcross<{ organizationId: OrganizationId }>(database, {
    tables: ['pricing_job'],
    text: (table) => `
      select organization_id from ${table} j where ${IS_DUE}
      group by organization_id order by organization_id <= $1, organization_id limit ${DUE_ORGANIZATIONS_MAX}`,
    parameters: [turn.organizationId],
    compare: inTurn(turn.organizationId),
  });
  return due.map(({ organizationId }) => organizationId);
}

/** Organizations with fewer due events than a usual transaction prices, in turn. */
export async function findShortQueues(database: Database, after: string): Promise<string[]> {
  const short = await lookAcross<{ organizationId: OrganizationId }>(database, {
    tables: ['pricing_job'],
    text: (table) => `
      select organization_id from ${table} j where ${IS_DUE}
      group by organization_id having sum(cardinality(event_ids)) < ${PRICING_EVENTS_MIN}
      order by organization_id <= $1, organization_id limit ${DUE_ORGANIZATIONS_MAX}`,
    parameters: [after],
    compare: inTurn(after),
  });
  return short.map((row) => row.organizationId);
}

async function isAnyDue(database: Database): Promise<boolean> {
  const due = await lookAcross<object>(database, {
    tables: ['pricing_job'],
    text: (table) => `select true as is_due from ${table} j where ${IS_DUE} limit 1`,
    parameters: [],
    compare: () => 0,
  });
  return due.length > 0;
}
