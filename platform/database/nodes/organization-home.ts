/**
 * One anchor row per organization, on its node. An `insert … select` takes the organization from it, so that the
 * coordinator can route the statement whole. Empty if the database is not distributed.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { isDistributed } from './distribution.ts';
import type { WriteTransaction } from '../transaction.ts';
import { query } from '../sql.ts';
import type { Placeholder } from '../tables.ts';
import { tenantTable } from '../tenant-table.ts';

export const HOME = 'organization_home';

/** Defines the table `organization_home`, for subgraphs whose database may be distributed. */
export function homeTable(subgraph: string) {
  return defineEntity({
    name: 'OrganizationHome',
    tableName: HOME,
    ...tenantTable(subgraph),
    properties: { organizationId: p.uuid().primary() },
  });
}

/** SQL for the organization of a statement; an insert selects it from the anchor row. Null on a single node. */
export type Home = ':organizationId' | null;

/** Builds a statement's text for a single node and for several. For several, its input contains `organizationId`. */
export function byHome(build: (home: Home) => string): { readonly onOneNode: string; readonly onSeveralNodes: string } {
  return { onOneNode: build(null), onSeveralNodes: build(':organizationId') };
}

/**
 * SQL of the `select` in an `insert`. It selects the organization and `columns` from `source`. On several nodes the
 * organization comes from the anchor row, otherwise from `source`. `order by` may follow.
 */
export function selectAtHome(home: Home, columns: string, source: string): string {
  return home === null
    ? `select organization_id, ${columns} from ${source}`
    : `select home.organization_id, ${columns} from organization_home home cross join ${source} where home.organization_id = ${home}`;
}

/** Like `selectAtHome`, for a statement with named placeholders: select list, joins and conditions. */
export function fromHome(isAtHome: boolean, organizationId: Placeholder<string>) {
  return isAtHome
    ? {
        id: sql`home.organization_id`,
        join: sql`cross join organization_home home`,
        isIts: sql`home.organization_id = ${organizationId}`,
      }
    : { id: sql`${organizationId}`, join: sql``, isIts: sql`true` };
}

/** Call it before statements in the form `at-home`: without the anchor row they would write nothing. */
export async function ensureHome(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  if (isDistributed(tx))
    await query(tx, 'insert into organization_home (organization_id) values ($1) on conflict do nothing', [
      organizationId,
    ]);
}
