/**
 * A database may be distributed over several nodes (Citus), with each organization on one of them. A job's transaction
 * then covers one organization, and its statements name it so that the coordinator can route them whole (decision 63).
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../open-database.ts';
import { StartError } from '../../start-error.ts';
import { queryOne } from '../sql.ts';
import { TENANT_TABLES } from '../tenant-table.ts';
import type { WriteTransaction } from '../transaction.ts';

const distributed = new WeakSet<object>();

/** Checked once, after the migrations. */
export async function markDistribution(database: Database): Promise<void> {
  if (await database.system(readIsDistributed)) distributed.add(database.orm.em.getDriver());
}

/**
 * True if one transaction may cover all organizations. On several nodes each has its own, so that an unreachable node
 * delays only its own organizations. Takes a transaction or a database's ORM.
 */
export function coversAllOrganizations(of: { readonly em: EntityManager }): boolean {
  return !isDistributed(of);
}

/**
 * Runs the variant for this database, for work that takes one statement on a single node but several statements of the
 * same transaction on several nodes.
 */
export function byNodes<Result>(
  of: { readonly em: EntityManager },
  { onOneNode, onSeveralNodes }: { readonly onOneNode: () => Result; readonly onSeveralNodes: () => Result },
): Result {
  return isDistributed(of) ? onSeveralNodes() : onOneNode();
}

/** Only for `platform`: subgraphs use `byNodes`, or `statement({ onOneNode, onSeveralNodes })`. */
export function isDistributed({ em }: { readonly em: EntityManager }): boolean {
  return distributed.has(em.getDriver());
}

async function readIsDistributed(tx: WriteTransaction): Promise<boolean> {
  const { isThere } = await queryOne<{ isThere: boolean }>(
    tx,
    "select to_regclass('pg_catalog.pg_dist_partition') is not null as is_there",
  );
  if (!isThere) return false;
  const { distributed: tables, left } = await queryOne<{ distributed: number; left: string | null }>(
    tx,
    `select (select count(*)::int from pg_dist_partition) as distributed, string_agg(name, ', ' order by name) as left
     from ${TENANT_TABLES} where not exists (select 1 from pg_dist_partition p where p.logicalrelid = table_id)`,
  );
  if (tables > 0 && left !== null)
    throw new StartError(`Some tables are not distributed: ${left}. Run \`admin cluster distribute\``);
  return tables > 0;
}
