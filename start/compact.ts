/** `npm run -s admin -- compact`: returns free space of tables to the operating system. */
import { readConfig } from '#platform/config.ts';
import { type CompactedTable, compactTables, megabytes } from '#platform/database/compact-tables.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { definitions } from './definitions.ts';
import { locateDatabases } from './locate-databases.ts';
import { runOnce } from './run-once.ts';

await runOnce(async ([mode], progress) => {
  const config = readConfig();
  const isDryRun = mode === 'dry-run';
  await using parts = new AsyncDisposableStack();
  const servers = await locateDatabases(SUBGRAPH_NAMES, config, { progress, mayShare: true, isExpected: true });
  parts.defer(() => servers.close());
  const tables: CompactedTable[] = [];
  for (const { name } of definitions)
    tables.push(...(await compactTables(name, await servers.targetOf(name), { isDryRun, progress })));
  if (tables.length === 0) return 'No table has 20 % or more free space.';
  const lines = tables.map(({ table, before, after, free }) =>
    isDryRun
      ? `${table}: ${megabytes(before)}, at least about ${megabytes(free)} of it free`
      : `${table}: ${megabytes(before)} before, ${megabytes(after)} now`,
  );
  const returned = tables.reduce((sum, { before, after, free }) => sum + (isDryRun ? free : before - after), 0);
  return [
    ...lines,
    isDryRun ? `At least about ${megabytes(returned)} can be returned.` : `${megabytes(returned)} returned.`,
  ].join('\n');
});
