/** `npm run -s admin -- sql-access create|revoke`: PostgreSQL roles that read report views. */
import { randomBytes } from '#platform/random.ts';
import { readConfig } from '#platform/config.ts';
import {
  createSqlAccess,
  listGaps,
  type ReportDatabase,
  sqlAccessStatements,
} from '#platform/database/sql-access/create-sql-access.ts';
import { describeRemainingRole, endSqlAccess } from '#platform/database/sql-access/end-sql-access.ts';
import { scramVerifier } from '#platform/database/sql-access/scram-verifier.ts';
import { sqlRole } from '#platform/database/sql-access/sql-roles.ts';
import { StartError } from '#platform/start-error.ts';
import { definitions } from './definitions.ts';
import { locateDatabases } from './locate-databases.ts';
import { runOnce } from './run-once.ts';

await runOnce(async ([action, organizationId], progress) => {
  if (organizationId === undefined) throw new StartError('Pass the id of an organization');
  const config = readConfig();
  await using parts = new AsyncDisposableStack();
  const names = definitions.map(({ name }) => name);
  const servers = await locateDatabases(names, config, { progress, mayShare: true, isExpected: true });
  parts.defer(() => servers.close());
  const databases: ReportDatabase[] = [];
  for (const { name, reportViews = [] } of definitions)
    databases.push({
      name,
      reportViews,
      target: await servers.targetOf(name),
      // The embedded server has no other users.
      maintenanceDatabases: config.databaseUrls[name] || config.databaseUrl ? [] : ['postgres', 'template1'],
    });
  const withViews = databases.filter(({ reportViews }) => reportViews.length > 0);

  if (action === 'revoke') {
    const ended: boolean[] = [];
    const errors: unknown[] = [];
    for (const database of withViews)
      await endSqlAccess(database, organizationId).then(
        (had) => ended.push(had),
        (error: unknown) => errors.push(error),
      );
    if (errors.length > 0) throw errors[0];
    for (const database of withViews) {
      const remaining = await describeRemainingRole(database, organizationId);
      if (remaining !== null) return remaining;
    }
    if (!ended.includes(true)) throw new StartError(`Organization ${organizationId} has no SQL access`);
    return `Removed the role ${sqlRole(organizationId)}.`;
  }
  const password = randomBytes(24).toString('base64url');
  const reader = { organizationId, verifier: scramVerifier(password) };
  if (action === 'print')
    return [
      `-- Role ${sqlRole(organizationId)}, password ${password}. Run with psql as a superuser, from a database of the same server.`,
      ...databases.flatMap((database) => [
        `\\connect ${database.target.dbName}`,
        ['begin', ...sqlAccessStatements(database, reader), 'commit'].map((each) => `${each};`).join('\n'),
      ]),
    ].join('\n');
  for (const database of databases) await createSqlAccess(database, reader);
  const allowed = new Set<string>();
  for (const database of withViews) for (const gap of await listGaps(database, organizationId)) allowed.add(gap);
  return JSON.stringify({
    user: sqlRole(organizationId),
    password,
    databases: withViews.map(({ target: { host, port, dbName }, reportViews }) => ({
      database: dbName,
      host,
      port,
      views: reportViews.map(({ name }) => `report.${name}`),
    })),
    also_allowed: [...allowed],
  });
});
