/** `DATA_DIR/demo.env`: what the curl lines need, for the shell to read. Secrets stay out of the terminal. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

export interface DemoSettings {
  readonly API: string;
  readonly ORGANIZATION: string;
  readonly OWNER_EMAIL: string;
  readonly OWNER_PASSWORD: string;
  readonly READ_KEY: string;
  readonly INGEST_KEY: string;
}

export function demoFile(dataDirectory: string): string {
  return join(dataDirectory, 'demo.env');
}

export function readDemoFile(dataDirectory: string): Partial<DemoSettings> {
  const file = demoFile(dataDirectory);
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

export function writeDemoFile(dataDirectory: string, settings: DemoSettings): void {
  mkdirSync(dataDirectory, { recursive: true });
  // Removed first: an older file would keep its mode.
  rmSync(demoFile(dataDirectory), { force: true });
  writeFileSync(demoFile(dataDirectory), Object.entries(settings).map(([name, value]) => `${name}='${String(value)}'\n`).join(''), { mode: 0o600 });
}
