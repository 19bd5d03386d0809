/**
 * `npm run -s admin -- cluster distribute`: distributes the large databases over the nodes of Citus. The service must
 * not be running.
 */
import { readConfig } from '#platform/config.ts';
import { distributeDatabase } from '#platform/database/nodes/distribute-database.ts';
import { migrate } from '#platform/database/migrations/migrate.ts';
import { openSubgraphDatabase } from '#platform/subgraph/subgraph.ts';
import { definitions } from './definitions.ts';
import { locateDatabases } from './locate-databases.ts';
import { runOnce } from './run-once.ts';

await runOnce(async (_, progress) => {
  const config = readConfig();
  const wanted = definitions.filter(({ distribution }) => distribution !== undefined);
  await using parts = new AsyncDisposableStack();
  const servers = await locateDatabases(
    wanted.map(({ name }) => name),
    config,
    { progress },
  );
  parts.defer(() => servers.close());
  let tables = 0;
  for (const definition of wanted) {
    const { name, distribution } = definition;
    const database = await openSubgraphDatabase(definition, await servers.targetOf(name), config);
    parts.defer(() => database.close());
    await migrate(database);
    tables += await distributeDatabase(database.target, { name, ...distribution! }, progress);
  }
  return tables === 0
    ? 'Everything is already distributed.'
    : `Distributed ${tables} tables of ${wanted.map(({ name }) => name).join(' and ')}. Start the service.`;
});
