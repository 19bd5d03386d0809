/**
 * Writes a report table to a bucket: a data file, and last the manifest that names it.
 *
 * A data file is named after its content, so no run overwrites a file that a manifest names. A run that fails leaves the
 * previous manifest in place.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { now } from '../clock.ts';
import type { Bucket } from './bucket.ts';

/** Content types by format. */
export const CONTENT_TYPES = {
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
} as const;

const NAME_DIGITS = 16;

interface ExportParameters {
  readonly period: string;
  readonly format: keyof typeof CONTENT_TYPES;
  readonly grain?: string;
  readonly version?: string;
}

interface Export {
  readonly table: string;
  readonly parameters: ExportParameters;
  readonly parts: AsyncIterable<string | Uint8Array>;
  /** The number of rows, if the sender knows it. Called after all parts were read. */
  readonly rows?: () => number;
  /** Fails above this size. */
  readonly bytesMax?: number;
}

export interface WrittenExport {
  readonly manifestKey: string;
  readonly bytes: number;
  /** SHA-256 of the data file, in hexadecimal. */
  readonly sha256: string;
}

/** Fails with `ExportTooLarge` if the data exceeds `bytesMax`; nothing is uploaded then. */
export async function writeExport(
  bucket: Bucket,
  { table, parameters, parts, rows, bytesMax = Infinity }: Export,
): Promise<WrittenExport> {
  const { period, format, grain, version } = parameters;
  const folder = await mkdtemp(join(tmpdir(), 'books-export-'));
  try {
    const exportedAt = now().toISOString();
    const path = join(folder, 'part');
    const hash = createHash('sha256');
    let bytes = 0;
    await pipeline(
      parts,
      async function* counted(source: AsyncIterable<string | Uint8Array>) {
        for await (const part of source) {
          const chunk = typeof part === 'string' ? Buffer.from(part) : part;
          hash.update(chunk);
          bytes += chunk.length;
          if (bytes > bytesMax) throw new ExportTooLarge(bytesMax);
          yield chunk;
        }
      },
      createWriteStream(path),
    );
    const sha256 = hash.digest('hex');
    const dataset = [table, version, grain].filter((part) => part !== undefined).join('-');
    const parent = `${dataset}/period=${period}`;
    const key = bucket.keyOf(`${parent}/part-${sha256.slice(0, NAME_DIGITS)}.${format}`);
    await bucket.put({ key, contentType: CONTENT_TYPES[format], bytes, sha256, body: () => createReadStream(path) });
    const manifest = {
      manifest_version: 1,
      table,
      ...parameters,
      exported_at: exportedAt,
      files: [{ key, bytes, sha256, ...(rows && { rows: rows() }) }],
      complete: true,
    };
    const manifestKey = bucket.keyOf(`${parent}/manifest.json`);
    await bucket.put(textObject(manifestKey, 'application/json', `${JSON.stringify(manifest, null, 2)}\n`));
    return { manifestKey, bytes, sha256 };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const TEST_NAME = 'books-test.txt';

/** Writes a small object, as a test of address and credentials. Returns its key. */
export async function writeTestObject(bucket: Bucket): Promise<string> {
  const key = bucket.keyOf(TEST_NAME);
  await bucket.put(textObject(key, 'text/plain; charset=utf-8', 'Written by a test of scheduled exports.\n'));
  return key;
}

function textObject(key: string, contentType: string, text: string) {
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { key, contentType, bytes: Buffer.byteLength(text), sha256, body: () => text };
}

/** The message is for the person who configured the export. */
export class ExportTooLarge extends Error {
  constructor(bytesMax: number) {
    super(`the file is larger than ${Math.floor(bytesMax / 1024 ** 2)} MiB`);
    this.name = 'ExportTooLarge';
  }
}
