/** The superuser's password: made once, kept beside the database, readable by us alone. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from './random.ts';

/** Throws when a cluster exists but its password is gone: nobody could connect. */
export function superuserPassword(dataDirectory: string, clusterExists: boolean): string {
  const file = join(dataDirectory, 'postgres-password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (clusterExists) throw new Error(`The database in ${dataDirectory} is there, but its password is not: ${file} is missing.`);
  const password = randomBytes(24).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  return password;
}
