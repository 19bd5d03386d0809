/** The files of the repository, without dependencies and reports. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);
const NOT_OURS = new Set(['node_modules', '.data', '.git', 'coverage', 'test-results', 'playwright-report']);

/** Paths from the root, separated by `/`, sorted. */
export function projectFiles(folder = ''): string[] {
  return readdirSync(new URL(folder, ROOT), { withFileTypes: true })
    .filter(({ name }) => !NOT_OURS.has(name) && !name.endsWith('.log'))
    .flatMap((entry) => (entry.isDirectory() ? projectFiles(`${folder}${entry.name}/`) : [`${folder}${entry.name}`]))
    .sort();
}

export function projectText(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

export function projectPath(path: string): string {
  return fileURLToPath(new URL(path, ROOT));
}
