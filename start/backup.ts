/**
 * `npm run -s admin -- backup FOLDER`: copies the six databases, while they are in use, as one consistent set.
 *
 * A database that follows another one is copied as of a moment earlier. It may then be behind and catches up after a
 * restore, but it is never ahead.
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { now } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';
import { type DatabaseCopy, writeManifest } from '#platform/database/backup/manifest.ts';
import { openSnapshot } from '#platform/database/backup/open-snapshot.ts';
import { StartError } from '#platform/start-error.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { definitions } from './definitions.ts';
import { recordBackup } from './health/observe-storage.ts';
import { locateDatabases } from './locate-databases.ts';
import { runOnce } from './run-once.ts';
import { secretFile } from './service-secret.ts';

/** Fraction of the time that the copy may work; the rest is for the running service. */
const SHARE = 0.25;

await runOnce(async ([folderGiven, ...flags], progress) => {
  const isSecretWanted = flags.includes('with-secret');
  const share = flags.includes('full-speed') ? 1 : SHARE;
  if (folderGiven === undefined) throw new StartError('Name the folder for the backup');
  const folder = resolve(folderGiven);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new StartError(`${folder} is not empty: a backup needs a new or empty folder`);
  const config = readConfig();
  await using parts = new AsyncDisposableStack();
  const servers = await locateDatabases(SUBGRAPH_NAMES, config, { progress, mayShare: true, isExpected: true });
  parts.defer(() => servers.close());
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  const snapshots = [];
  for (const { name } of definitions.toReversed()) {
    const snapshot = await openSnapshot(name, await servers.targetOf(name));
    parts.defer(() => snapshot.close());
    snapshots.push(snapshot);
  }
  const takenAt = now();
  const databases: DatabaseCopy[] = [];
  for (const snapshot of snapshots) {
    databases.push(await snapshot.copy(folder, share, progress));
    // While a snapshot is open, dead rows of its database cannot be removed.
    await snapshot.close();
  }

  const secret = secretFile(config);
  const isGenerated = config.serviceSecret === null && existsSync(secret);
  if (isSecretWanted && isGenerated) await copyFile(secret, join(folder, 'service-secret'));
  await writeManifest(folder, {
    format: 2,
    takenAt: takenAt.toISOString(),
    postgresVersion: snapshots[0]?.postgresVersion ?? '',
    databases,
  });
  try {
    recordBackup(config.dataDirectory, takenAt);
  } catch (error) {
    progress(`The backup is complete, but its time could not be recorded for the metrics: ${(error as Error).message}`);
  }
  const rows = databases.flatMap(({ tables }) => tables).reduce((sum, table) => sum + table.rows, 0);
  const keep =
    isSecretWanted && isGenerated
      ? 'It contains the service secret: protect it accordingly.'
      : `Its encrypted values can be decrypted only with the secret of this service: keep ${isGenerated ? secret : 'SERVICE_SECRET'} too, in another place.`;
  return `Backup of ${takenAt.toISOString()} in ${folder}: ${rows} rows of ${databases.length} databases. ${keep}`;
});
