/** A role for BI tools in the databases of a service, and its connections. */
import pg from 'pg';
import { withClient } from '#platform/database/prepare-database.ts';
import { createSqlAccess } from '#platform/database/sql-access/create-sql-access.ts';
import { endSqlAccess } from '#platform/database/sql-access/end-sql-access.ts';
import { scramVerifier } from '#platform/database/sql-access/scram-verifier.ts';
import { definitions } from '../../start/definitions.ts';
import type { RunningService } from './running-service.ts';

export interface SqlLogin {
  readonly user: string;
  readonly password: string;
}

/** Grants SQL access to the organization of the service's first run. */
export async function grantSqlAccess({ target, firstRun }: RunningService): Promise<SqlLogin> {
  const organizationId = firstRun.organization_id;
  const password = 'a password of a test';
  for (const { name, reportViews = [] } of definitions)
    await createSqlAccess(
      { name, reportViews, target: target(name) },
      { organizationId, verifier: scramVerifier(password) },
    );
  const { rows } = await withClient(target('attribution'), (client) =>
    client.query<{ user: string }>('select role_name as user from report.reader where organization_id = $1', [
      organizationId,
    ]),
  );
  return { user: rows[0]!.user, password };
}

/** Roles outlive the databases of a test. */
export async function removeSqlAccess({ target, firstRun }: RunningService): Promise<void> {
  for (const { name, reportViews } of definitions)
    if (reportViews) await endSqlAccess({ name, target: target(name) }, firstRun.organization_id);
}

/** A BI tool's connection. The caller closes it. */
export async function connectTool(service: RunningService, subgraph: string, login: SqlLogin): Promise<pg.Client> {
  const { host, port, dbName } = service.target(subgraph);
  const client = new pg.Client({ host, port, database: dbName, ...login });
  client.on('error', () => {});
  await client.connect();
  return client;
}
