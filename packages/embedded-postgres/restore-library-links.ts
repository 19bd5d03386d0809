/** npm packages hold no symbolic links; the package makes them when installed, unless install scripts were blocked. */
import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Makes those links of `pg-symlinks.json` that are missing. Throws where the directory may not be written. */
export function restoreLibraryLinks(nativeDirectory: string): void {
  for (const { link, target } of missingLibraryLinks(nativeDirectory)) {
    try {
      symlinkSync(target, link);
    } catch (error) {
      if (!isThere(link)) throw error;
    }
  }
}

/** The links that are missing, each with its target, a name in the link's own directory. */
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
