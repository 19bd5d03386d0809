/**
 * Labelled public series, read from GitHub at a fixed commit and never part of this repository. Each has its licence
 * and source.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface PublicData {
  readonly name: string;
  readonly url: string;
  readonly commit: string;
  readonly licence: string;
  /** Paths to check out. */
  readonly paths: readonly string[];
}

export const NAB: PublicData = {
  name: 'NAB',
  url: 'https://github.com/numenta/NAB',
  commit: 'ea702d75cc2258d9d7dd35ca8e5e2539d71f3140',
  licence: 'MIT, Numenta Inc.',
  paths: ['data', 'labels/combined_windows.json'],
};

export const M4: PublicData = {
  name: 'M4-methods',
  url: 'https://github.com/Mcompetitions/M4-methods',
  commit: '6c1067e5a57161249b17289a565178dc7a3fb3ca',
  licence: 'none stated; published by the M4 competition (University of Nicosia) to reproduce its results',
  paths: ['Dataset/Train/Hourly-train.csv', 'Dataset/Test/Hourly-test.csv'],
};

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/detectors/', import.meta.url));

/** The folder with the data, copied once; null if the data is unavailable. */
export function findPublicData({ name, url, commit, paths }: PublicData): string | null {
  const folder = join(CACHE, name);
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'pipe', timeout: 300_000 });
  try {
    if (paths.every((path) => existsSync(join(folder, path)))) return folder;
    mkdirSync(folder, { recursive: true });
    git('init', '--quiet');
    git('fetch', '--quiet', '--depth', '1', '--filter=blob:none', url, commit);
    // Only the files that are checked out are fetched, as needed.
    git('config', 'remote.origin.url', url);
    git('config', 'remote.origin.promisor', 'true');
    git('checkout', '--quiet', commit, '--', ...paths);
    return folder;
  } catch {
    return null;
  }
}
