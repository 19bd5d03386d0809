/**
 * Creates an empty cluster. It is renamed into place when complete, so a partial one is never mistaken for a database.
 */
import { chownSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from './random.ts';
import type { Account } from './choose-account.ts';
import { runAsAccount } from './run-as-account.ts';

const UNFINISHED = 'postgres-unfinished-';

/**
 * Returns the cluster's directory; throws with the output of `initdb`. Every connection requires a password, including
 * over the socket. Text sorts by code point (PostgreSQL's builtin `C.UTF-8`), so the order does not depend on the
 * system or its upgrades.
 */
export async function initializeCluster({
  location,
  binaries,
  account,
  user,
  password,
  durable,
  onProgress,
}: {
  location: string;
  binaries: string;
  account: Account | undefined;
  user: string;
  password: string;
  durable: boolean;
  onProgress: (message: string) => void;
}): Promise<string> {
  onProgress(`Creating a new database in ${location}.`);
  removeUnfinished(location);
  const workshop = join(location, `${UNFINISHED}${randomBytes(4).toString('hex')}`);
  const cluster = join(workshop, 'cluster');
  const passwordFile = join(workshop, 'password');
  mkdirSync(workshop, { mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account) for (const path of [workshop, passwordFile]) chownSync(path, account.uid, account.gid);

  const { exitCode, output } = await runAsAccount(account, [
    join(binaries, 'bin', 'initdb'),
    '--pgdata',
    cluster,
    '--username',
    user,
    '--pwfile',
    passwordFile,
    '--auth-local=scram-sha-256',
    '--auth-host=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--set=huge_pages=off',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ]);
  if (exitCode !== 0) {
    rmSync(workshop, { recursive: true, force: true });
    throw new Error(
      `The database in ${location} could not be created. If this account cannot run PostgreSQL, set DATABASE_URL. ` +
        `initdb said:\n${output.trim()}`,
    );
  }
  const named = join(location, 'postgres');
  renameSync(cluster, named);
  rmSync(workshop, { recursive: true, force: true });
  return named;
}

/**
 * Removes clusters left unfinished by a killed start. Retries, since its `initdb` may still be running for a moment.
 */
function removeUnfinished(location: string): void {
  for (const name of readdirSync(location)) {
    if (!name.startsWith(UNFINISHED)) continue;
    rmSync(join(location, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
