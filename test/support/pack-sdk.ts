/** Packs the library as `npm pack` does for users: built, with its types. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectPath } from './project-files.ts';

/**
 * Returns the path of the tarball in `folder`. The sources are copied first, so that nothing is built in the working
 * tree.
 */
export function packSdk(folder: string): string {
  const source = projectPath('packages/sdk-node');
  const copy = join(folder, 'source');
  mkdirSync(copy);
  cpSync(source, copy, { recursive: true });
  cpSync(projectPath('LICENSE'), join(copy, 'LICENSE'));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const types = projectPath('node_modules/@types');
  run(
    process.execPath,
    projectPath('node_modules/typescript/bin/tsc'),
    '--project',
    'tsconfig.json',
    '--typeRoots',
    types,
  );
  const [packed] = JSON.parse(run('npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder)) as {
    filename: string;
  }[];
  return join(folder, packed!.filename);
}
