/** The user's saved key, in a file that only the user may read. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Login {
  /** Origin of the service. */
  readonly api: string;
  readonly key: string;
}

interface RememberedLogin extends Login {
  /** True if the key was issued to this machine. Only this machine holds it, so logging out revokes it. */
  readonly issuedHere: boolean;
}

export interface SavedLogin {
  /** `null`: not signed in. */
  read(): RememberedLogin | null;
  write(login: RememberedLogin): void;
  forget(): void;
}

/** Writes to a temporary file and renames it, so that readers see either the old or the new login. */
export function savedLogin(folder: string): SavedLogin {
  const file = join(folder, 'login.json');
  return {
    read: () => readLogin(file),
    write(login) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      chmodSync(folder, 0o700);
      const aside = `${file}.new`;
      rmSync(aside, { force: true });
      writeFileSync(aside, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(aside, file);
    },
    forget: () => rmSync(file, { force: true }),
  };
}

function readLogin(file: string): RememberedLogin | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const { api, key, issuedHere } = JSON.parse(text) as Partial<RememberedLogin>;
    if (typeof api === 'string' && typeof key === 'string') return { api, key, issuedHere: issuedHere === true };
  } catch {
    // Invalid JSON is reported below.
  }
  throw new Error(`${file} cannot be read: run "books login" again`);
}
