/** The secret that seals principals between processes and test keys at rest: given, or generated once into the data directory. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../platform/config.ts';
import { randomBytes } from '../platform/random.ts';

export function serviceSecret({ serviceSecret: given, dataDirectory }: Config): string {
  if (given !== null) return given;
  const file = join(dataDirectory, 'service-secret');
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  chmodSync(file, 0o600);
  return readFileSync(file, 'utf8').trim();
}
