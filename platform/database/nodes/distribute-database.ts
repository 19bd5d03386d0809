/** Distributes an empty or filled database over Citus nodes by organization. Safe to repeat. */
import type pg from 'pg';
import { StartError } from '../../start-error.ts';
import type { ConnectionTarget } from '../connections/connection-target.ts';
import { withClient } from '../prepare-database.ts';
import { TENANT_TABLES } from '../tenant-table.ts';
import { HOME } from './organization-home.ts';

export interface DistributionPlan {
  readonly name: string;
  readonly referenceTables: readonly string[];
}

/**
 * Call it after the migrations, while nothing else uses the database. Returns the number of distributed tables. Throws
 * a {@link StartError} if Citus is not installed.
 */
export function distributeDatabase(
  target: ConnectionTarget,
  { name, referenceTables }: DistributionPlan,
  progress: (message: string) => void,
): Promise<number> {
  return withClient(target, async (client) => {
    await requireCitus(client, name);
    const done = new Set(await listDistributed(client));
    const tables = (await listTenantTables(client)).filter((table) => !referenceTables.includes(table));
    const wanted = [...referenceTables, HOME, ...tables].filter((table) => !done.has(table));
    for (const table of wanted) {
      progress(`${name}: distributing ${table}`);
      if (referenceTables.includes(table)) await client.query('select create_reference_table($1)', [table]);
      else if (table === HOME) await client.query("select create_distributed_table($1, 'organization_id')", [table]);
      else
        await client.query("select create_distributed_table($1, 'organization_id', colocate_with => $2)", [
          table,
          HOME,
        ]);
      // Existing rows are now on the nodes and still in the local table: remove the local copies.
      await client.query('select truncate_local_data_after_distributing_table($1)', [table]);
    }
    for (const table of tables) {
      const identifier = client.escapeIdentifier(table);
      await client.query(
        `insert into ${HOME} (organization_id) select distinct organization_id from ${identifier} on conflict do nothing`,
      );
    }
    return wanted.length;
  });
}

async function requireCitus(client: pg.Client, name: string): Promise<void> {
  const { rowCount } = await client.query("select 1 from pg_extension where extname = 'citus'");
  if (!rowCount)
    throw new StartError(
      `The database ${name} is not on Citus: \`create extension citus\` in it on every node, and add the nodes`,
    );
}

async function listDistributed(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select logicalrelid::regclass::text as name from pg_dist_partition',
  );
  return rows.map(({ name }) => name);
}

async function listTenantTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from ${TENANT_TABLES} where name <> $1 order by 1`,
    [HOME],
  );
  return rows.map(({ name }) => name);
}
