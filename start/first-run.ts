/** `first-run.json`: what an operator needs after the first start. Only its path is printed, never its content. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#platform/config.ts';

export function firstRunFile({ dataDirectory }: Pick<Config, 'dataDirectory'>): string {
  return join(dataDirectory, 'first-run.json');
}

export function writeFirstRun(config: Config, firstRun: object): void {
  // If the databases are external and the secret is a setting, the directory does not exist yet.
  mkdirSync(config.dataDirectory, { recursive: true, mode: 0o700 });
  writeFileSync(firstRunFile(config), `${JSON.stringify({ url: config.apiOrigin, ...firstRun }, null, 2)}\n`, {
    mode: 0o600,
  });
}

export function hasFirstRun(config: Config): boolean {
  return existsSync(firstRunFile(config));
}
