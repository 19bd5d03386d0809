/** `npm run -s admin -- restore FOLDER`: loads a backup into empty databases. The service must not be running. */
import { chmodSync, copyFileSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readConfig } from '#platform/config.ts';
import { loadDatabase } from '#platform/database/backup/load-database.ts';
import { checkFiles, readManifest } from '#platform/database/backup/manifest.ts';
import { StartError } from '#platform/start-error.ts';
import { openSubgraphDatabase } from '#platform/subgraph/subgraph.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { definitions } from './definitions.ts';
import { locateDatabases } from './locate-databases.ts';
import { runOnce } from './run-once.ts';
import { secretFile } from './service-secret.ts';

/**
 * A backup from before these subgraphs existed does not contain their databases, which stay empty until the next start
 * creates them.
 */
const YOUNGER = ['alerting', 'reconciliation'];

await runOnce(async ([folderGiven], progress) => {
  if (folderGiven === undefined) throw new StartError('Name the folder of the backup');
  const folder = resolve(folderGiven);
  const manifest = readManifest(folder);
  await checkFiles(folder, manifest);
  const config = readConfig();
  await using parts = new AsyncDisposableStack();
  const servers = await locateDatabases(SUBGRAPH_NAMES, config, { progress });
  parts.defer(() => servers.close());

  const secret = secretFile(config);
  const kept = join(folder, 'service-secret');
  if (config.serviceSecret === null && existsSync(kept) && !existsSync(secret)) {
    copyFileSync(kept, secret);
    chmodSync(secret, 0o600);
  }
  for (const definition of definitions) {
    const { name } = definition;
    const copy =
      manifest.databases.find((one) => one.name === name) ??
      (YOUNGER.includes(name) ? { name, migrations: [], tables: [], sequences: [] } : null);
    if (copy === null) throw new StartError(`The backup has no database ${name}`);
    const database = await openSubgraphDatabase(definition, await servers.targetOf(definition.name), config);
    parts.defer(() => database.close());
    await loadDatabase(database, copy, folder, progress);
  }
  return `Restored the backup of ${manifest.takenAt}. Start the service, then run \`npm run -s admin -- verify\`.`;
});
