/** Deletes everything that a subgraph keeps of an organization, a bounded slice at a time. */
import { now } from '../clock.ts';
import { liftTimeLimit, query, queryOne } from '../database/sql.ts';
import type { EntityManager } from '../database/open-database.ts';
import { fail } from '../../schema/errors.ts';
import { actorOf, insertAuditRecord, NO_ORGANIZATION } from './audit-record.ts';
import type { SubgraphContext } from './context.ts';
import { organizationOf } from './organization-of.ts';

export interface DeletedRows {
  /** In this step. */
  readonly rows: number;
  /** Whether nothing is left. */
  readonly isFinished: boolean;
}

export interface DeletionRequest {
  /** Must be the organization that the caller acts on: nothing is deleted by a header alone. */
  readonly id: string;
  /** Rows of this step. */
  readonly limit: number;
}

const LIMIT_MAX = 20_000;

/** Fails with `VALIDATION_ERROR` for another organization than the caller acts on. */
export function checkDeletion(context: SubgraphContext, { id, limit }: DeletionRequest): string {
  const organizationId = organizationOf(context);
  if (id !== organizationId) fail('VALIDATION_ERROR', 'id must be the organization that X-Organization-ID names');
  if (limit < 1 || limit > LIMIT_MAX) fail('VALIDATION_ERROR', `limit must be from 1 to ${LIMIT_MAX}`);
  return organizationId;
}

/** A step; those that delete something are in the log of the nil organization, as the proof. */
export function deleteOrganizationData(context: SubgraphContext, request: DeletionRequest): Promise<DeletedRows> {
  const organizationId = checkDeletion(context, request);
  return context.database.acrossOrganizations(async (em) => {
    await liftTimeLimit(em);
    const deleted = await deleteOrganizationRows(em, organizationId, request.limit);
    if (deleted.rows > 0)
      await insertAuditRecord(em, {
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
 * Rows of every table that has an `organization_id`, but for those in `except`: a table that is added later is not forgotten.
 * Must run in a transaction that sees all organizations.
 */
export async function deleteOrganizationRows(
  em: EntityManager,
  organizationId: string,
  limit: number,
  except: readonly string[] = [],
): Promise<DeletedRows> {
  let rows = 0;
  for (const name of await listTenantTables(em, except)) {
    if (rows >= limit) break;
    const { count } = await queryOne<{ count: number }>(
      em,
      `with gone as (
         delete from "${name}" where ctid = any (array(select ctid from "${name}" where organization_id = $1 limit $2))
         returning 1)
       select count(*)::int as count from gone`,
      [organizationId, limit - rows],
    );
    rows += count;
  }
  return { rows, isFinished: rows < limit };
}

/** Of these organizations, those of which a row is left. Must run in a transaction that sees all organizations. */
export async function findOrganizationsWithRows(
  em: EntityManager,
  organizationIds: readonly string[],
  except: readonly string[] = [],
): Promise<string[]> {
  if (organizationIds.length === 0) return [];
  const tables = await listTenantTables(em, except);
  const found = await query<{ id: string }>(
    em,
    `select id from unnest($1::uuid[]) as deleted (id)
     where ${tables.map((name) => `exists (select 1 from "${name}" where organization_id = deleted.id)`).join(' or ')}`,
    [organizationIds],
  );
  return found.map(({ id }) => id);
}

async function listTenantTables(em: EntityManager, except: readonly string[]): Promise<string[]> {
  const tables = await query<{ name: string }>(
    em,
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not a.attisdropped
       and not c.relispartition and c.relname <> all ($1) order by 1`,
    [except],
  );
  return tables.map(({ name }) => name);
}
