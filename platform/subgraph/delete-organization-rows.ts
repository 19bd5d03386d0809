/** Deletes all data of an organization in a subgraph, in bounded steps. */
import type { OrganizationId } from '#kernel/ids.ts';
import { now } from '../clock.ts';
import { isDistributed } from '../database/nodes/distribution.ts';
import { liftTimeLimit, query, queryOne } from '../database/sql.ts';
import { statement } from '../database/statement.ts';
import { TENANT_TABLES } from '../database/tenant-table.ts';
import { endSqlAccess } from '../database/sql-access/end-sql-access.ts';
import { byOrganization, type Look, lookAcross, lookIn } from '../database/nodes/look-across.ts';
import type { Database } from '../database/open-database.ts';
import type { WriteTransaction } from '../database/transaction.ts';
import { fail } from '#kernel/errors.ts';
import { actorOf, insertAuditRecord, NO_ORGANIZATION } from './audit-record.ts';
import type { SubgraphContext } from './context.ts';
import { organizationOf } from './organization-of.ts';

export interface DeletedRows {
  /** Rows deleted in this step. */
  readonly rows: number;
  /** True if no rows are left. */
  readonly isFinished: boolean;
}

export interface DeletionRequest {
  /** Must name the organization that the caller acts on, so that a wrong header alone deletes nothing. */
  readonly id: string;
  /** Maximum rows per step. */
  readonly limit: number;
}

const LIMIT_MAX = 20_000;

/** Fails with `VALIDATION_ERROR` unless `id` is the organization that the caller acts on. */
export function checkDeletion(context: SubgraphContext, { id, limit }: DeletionRequest): string {
  const organizationId = organizationOf(context);
  if (id !== organizationId) fail('VALIDATION_ERROR', 'id must be the organization in X-Organization-ID');
  if (limit < 1 || limit > LIMIT_MAX) fail('VALIDATION_ERROR', `limit must be from 1 to ${LIMIT_MAX}`);
  return organizationId;
}

/**
 * One step: ends the organization's SQL access and deletes rows. Steps that delete rows are recorded in the audit log
 * of the nil organization.
 */
export async function deleteOrganizationData(context: SubgraphContext, request: DeletionRequest): Promise<DeletedRows> {
  const organizationId = checkDeletion(context, request);
  if (context.database.reportViews.length > 0) await endSqlAccess(context.database, organizationId);
  return context.database.system(async (tx) => {
    await liftTimeLimit(tx);
    const deleted = await deleteOrganizationRows(tx, organizationId, request.limit);
    if (deleted.rows > 0)
      await insertAuditRecord(tx, {
        organizationId: NO_ORGANIZATION,
        at: now(),
        action: 'organization.deleted',
        ...actorOf(context.principal),
        subjectId: organizationId,
        detail: `${deleted.rows} rows`,
      });
    return deleted;
  });
}

/**
 * Deletes rows of every table with an `organization_id` except those in `except`, including tables added later. Must
 * run in a transaction across organizations.
 */
export async function deleteOrganizationRows(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  limit: number,
  except: readonly string[] = [],
): Promise<DeletedRows> {
  let rows = 0;
  const copied = isDistributed(tx) ? await listReferenceTables(tx) : [];
  for (const name of await listTenantTables(tx, except)) {
    if (rows >= limit) break;
    const { count } = await queryOne<{ count: number }>(
      tx,
      `with gone as (
         delete from "${name}" where organization_id = $1 ${copied.includes(name) ? 'and $2::int is not null' : `and ctid = any (array(select ctid from "${name}" where organization_id = $1 limit $2))`}
         returning 1)
       select count(*)::int as count from gone`,
      [organizationId, limit - rows],
    );
    rows += count;
  }
  return { rows, isFinished: rows < limit };
}

/** Returns those of `organizationIds` that still have rows. Rows on unreachable nodes are not seen. */
export async function findOrganizationsWithRows(
  database: Database,
  organizationIds: readonly OrganizationId[],
  except: readonly string[] = [],
): Promise<string[]> {
  if (organizationIds.length === 0) return [];
  if (isDistributed(database.orm)) return organizationsOnNodes(database, organizationIds, except);
  const found = await database.system(async (tx) => {
    const tables = await listTenantTables(tx, except);
    return query<{ id: string }>(
      tx,
      `select id from unnest($1::uuid[]) as deleted (id)
       where ${tables.map((name) => `exists (select 1 from "${name}" where organization_id = deleted.id)`).join(' or ')}`,
      [organizationIds],
    );
  });
  return found.map(({ id }) => id);
}

const LIST_REFERENCE_TABLES = statement<{ name: string }>(
  "select logicalrelid::regclass::text as name from pg_dist_partition where partmethod = 'n'",
);

/** Reference tables: each node has a copy with different row positions. They contain few rows per organization. */
async function listReferenceTables(tx: WriteTransaction): Promise<string[]> {
  const tables = await tx.all(LIST_REFERENCE_TABLES, {});
  return tables.map(({ name }) => name);
}

/** On several nodes, table by table: an array parameter cannot be joined. */
async function organizationsOnNodes(
  database: Database,
  organizationIds: readonly OrganizationId[],
  except: readonly string[],
): Promise<string[]> {
  const tables = await database.system((tx) => listTenantTables(tx, except));
  const copied = await database.system(listReferenceTables);
  const found = new Set<string>();
  for (const name of tables) {
    const text = (table: string) =>
      `select distinct organization_id from ${table} where organization_id = any($1::uuid[]) order by 1`;
    const look: Look<{ organizationId: OrganizationId }> = {
      tables: [name],
      text,
      parameters: [organizationIds],
      compare: byOrganization,
    };
    const rows = copied.includes(name)
      ? await database.system((tx) => lookIn(tx, look))
      : await lookAcross(database, look);
    for (const { organizationId } of rows) found.add(organizationId);
  }
  return organizationIds.filter((id) => found.has(id));
}

const LIST_TENANT_TABLES = statement<{ name: string }, { readonly except: readonly string[] }>(`
  with recursive reference (one, other) as (
    select conrelid, confrelid from pg_constraint where contype = 'f'
    union select reference.one, further.confrelid
    from reference join pg_constraint further on further.conrelid = reference.other and further.contype = 'f')
  select name from ${TENANT_TABLES} where name <> all (:except)
  order by (select count(*) from reference where one = table_id) desc, name`);

/** Referencing tables first. */
async function listTenantTables(tx: WriteTransaction, except: readonly string[]): Promise<string[]> {
  const tables = await tx.all(LIST_TENANT_TABLES, { except });
  return tables.map(({ name }) => name);
}
