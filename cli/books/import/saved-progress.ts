/** Remembers how many rows of a file were imported, so that an interrupted import continues after them. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SavedProgress {
  /** Rows of the file that the service has answered; 0 if none. */
  read(file: string): number;
  write(file: string, rows: number): void;
  forget(file: string): void;
}

/** `file` identifies the file, its version, the service and the key. Only its hash is stored. */
export function savedProgress(folder: string): SavedProgress {
  const imports = join(folder, 'imports');
  const pathOf = (file: string) => join(imports, createHash('sha256').update(file).digest('hex'));
  return {
    read(file) {
      try {
        return Number.parseInt(readFileSync(pathOf(file), 'utf8'), 10) || 0;
      } catch {
        return 0;
      }
    },
    write(file, rows) {
      mkdirSync(imports, { recursive: true, mode: 0o700 });
      writeFileSync(pathOf(file), `${rows}\n`, { mode: 0o600 });
    },
    forget: (file) => rmSync(pathOf(file), { force: true }),
  };
}
