/** Type-checks files as a reader with strict settings would, with the packages of this repository. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { projectPath } from './project-files.ts';

const COMPILER_OPTIONS = {
  noEmit: true,
  strict: true,
  skipLibCheck: false,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  target: 'es2024',
  module: 'nodenext',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: [],
  allowImportingTsExtensions: true,
};

export interface StrictProject {
  readonly folder: string;
  write(path: string, text: string): void;
  /** The compiler's errors in these files and everything they import; empty if there are none. */
  compile(files: readonly string[]): Promise<string>;
  remove(): void;
}

export function strictProject(): StrictProject {
  const folder = mkdtempSync(join(tmpdir(), 'books-types-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  symlinkSync(projectPath('node_modules'), join(folder, 'node_modules'));
  write('package.json', '{ "type": "module" }');
  return {
    folder,
    write,
    compile: async (files) => {
      write('tsconfig.json', JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }));
      const compiler = projectPath('node_modules/typescript-7/bin/tsc');
      const run = promisify(execFile)(process.execPath, [compiler, '--project', folder]);
      return run.then(
        ({ stdout }) => stdout,
        (error: { stdout: string }) => error.stdout,
      );
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
