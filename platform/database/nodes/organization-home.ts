/**
 * One row for each organization, on its node: what an insert that selects takes the organization from, for the coordinator to send it on
 * whole. Empty where the database is not distributed.
 */
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { isDistributed } from './distribution.ts';
import type { EntityManager } from '../open-database.ts';
import { query } from '../sql.ts';
import type { Placeholder } from '../tables.ts';
import { tenantTable } from '../tenant-table.ts';

export const HOME = 'organization_home';

/** Of a subgraph whose database may be distributed. */
export function homeTable(subgraph: string) {
  return defineEntity({
    name: 'OrganizationHome',
    tableName: HOME,
    ...tenantTable(subgraph),
    properties: { organizationId: p.uuid().primary() },
  });
}

/** SQL of an organization's id: its home is what an insert selects from. Null: on one node nothing needs a home. */
export type Home = string | null;

/**
 * What an insert selects: the organization, from its home where there is one, and `columns`, from `source`. SQL, which can be followed by
 * `order by`. Without a home `source` has the organization too.
 */
export function selectAtHome(home: Home, columns: string, source: string): string {
  return home === null
    ? `select organization_id, ${columns} from ${source}`
    : `select home.organization_id, ${columns} from organization_home home cross join ${source} where home.organization_id = ${home}`;
}

/** The same for a statement with named placeholders: what it selects, joins and asks. */
export function fromHome(isAtHome: boolean, organizationId: Placeholder<string>) {
  return isAtHome
    ? {
        id: sql`home.organization_id`,
        join: sql`cross join organization_home home`,
        isIts: sql`home.organization_id = ${organizationId}`,
      }
    : { id: sql`${organizationId}`, join: sql``, isIts: sql`true` };
}

/** Call it in a transaction before statements in the form `at-home`: without the row they would write nothing. */
export async function ensureHome(em: EntityManager, organizationId: string): Promise<void> {
  if (isDistributed(em))
    await query(em, 'insert into organization_home (organization_id) values ($1) on conflict do nothing', [
      organizationId,
    ]);
}
