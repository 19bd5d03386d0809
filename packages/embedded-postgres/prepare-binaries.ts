/** The server's programs, whole and where its account can run them: the package's own, else a copy. */
import { constants, accessSync, cpSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from './random.ts';
import type { Account } from './choose-account.ts';
import { findNativeDirectory } from './find-native-directory.ts';
import type { NativePackage } from './find-native-directory.ts';
import { openSharedDirectory } from './open-shared-directory.ts';
import { missingLibraryLinks, restoreLibraryLinks } from './restore-library-links.ts';
import { runAsAccount } from './run-as-account.ts';

/** The directory that holds `bin/`, `lib/` and `share/`. A copy is made once per version, in about 0.1 s. */
export async function prepareBinaries({ account, location, onProgress, native = findNativeDirectory() }: {
  account: Account | undefined;
  location: string;
  onProgress: (message: string) => void;
  native?: NativePackage;
}): Promise<string> {
  if (canCompleteLinks(native.directory) && await canRun(native.directory, account)) {
    restoreLibraryLinks(native.directory);
    return native.directory;
  }
  const name = `postgres-${native.version}-${process.platform}-${process.arch}`;
  const copy = join(account ? openSharedDirectory() : location, name);
  if (!existsSync(copy)) {
    const who = account ? ` by ${account.name}` : '';
    onProgress(`PostgreSQL cannot be run from ${native.directory}${who}: copying it to ${copy}.`);
    await copyBinaries(native.directory, copy);
  }
  return join(copy, 'native');
}

function canCompleteLinks(directory: string): boolean {
  if (missingLibraryLinks(directory).length === 0) return true;
  try {
    accessSync(join(directory, 'lib'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function canRun(directory: string, account: Account | undefined): Promise<boolean> {
  const attempt = 'cd "$1" && test -x bin/postgres && test -x bin/initdb && test -r share/postgresql/postgres.bki';
  return (await runAsAccount(account, ['/bin/sh', '-c', attempt, 'sh', directory])).exitCode === 0;
}

/** Complete or absent: it gets its name last. What only a compiler reads stays behind. */
async function copyBinaries(from: string, to: string): Promise<void> {
  const unfinished = `${to}-${randomBytes(4).toString('hex')}`;
  const target = join(unfinished, 'native');
  const isNeeded = (path: string) => !/\.a$|\/pkgconfig$|\/pgxs$/.test(path);
  cpSync(from, target, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
  restoreLibraryLinks(target);
  await runAsAccount(undefined, ['/bin/sh', '-c', 'chmod -R u+rwX,go+rX "$1"', 'sh', unfinished]);
  renameSync(unfinished, to);
}
