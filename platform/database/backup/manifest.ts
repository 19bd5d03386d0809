/** The contents of a backup: `manifest.json`. It is written last, so that a folder without it is incomplete. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../../start-error.ts';

const tableCopy = z.object({
  table: z.string(),
  columns: z.array(z.string()),
  rows: z.number(),
  /**
   * Path in the backup's folder: PostgreSQL COPY text compressed with Zstandard (`.zst`), or gzip (`.gz`) in format 1.
   */
  file: z.string(),
  /** Checksum of the compressed file. */
  sha256: z.string(),
});

const databaseCopy = z.object({
  name: z.string(),
  /** Migrations that the database had run, in order. */
  migrations: z.array(z.string()),
  /** In loading order: referenced tables first. */
  tables: z.array(tableCopy),
  sequences: z.array(z.object({ name: z.string(), value: z.string(), isCalled: z.boolean() })),
});

const manifestShape = z.object({
  format: z.literal([1, 2]),
  takenAt: z.string(),
  postgresVersion: z.string(),
  databases: z.array(databaseCopy),
});

export type TableCopy = z.infer<typeof tableCopy>;
export type DatabaseCopy = z.infer<typeof databaseCopy>;
export type Manifest = z.infer<typeof manifestShape>;

const FILE = 'manifest.json';

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
}

/**
 * Reads the manifest of the backup in `folder`. Throws a {@link StartError} if the folder is not a backup or has
 * another format.
 */
export function readManifest(folder: string): Manifest {
  const file = join(folder, FILE);
  if (!existsSync(file)) throw new StartError(`${folder} contains no complete backup: ${FILE} is missing`);
  const parsed = manifestShape.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!parsed.success) throw new StartError(`${file} is not the manifest of a backup that this version can read`);
  return parsed.data;
}

/** Throws a {@link StartError} that names the first missing or changed file. */
export async function checkFiles(folder: string, { databases }: Manifest): Promise<void> {
  for (const { file, sha256 } of databases.flatMap(({ tables }) => tables)) {
    const path = join(folder, file);
    if (!existsSync(path)) throw new StartError(`The backup is incomplete: ${file} is missing`);
    if ((await sha256Of(path)) !== sha256) throw new StartError(`The backup is damaged: ${file} has changed`);
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
