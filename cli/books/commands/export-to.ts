/**
 * `books export-to`: writes report tables to S3-compatible storage, for a scheduler.
 *
 * A data file is named after its content, so no run overwrites a file that a manifest names. The manifest is written last:
 * a run that fails leaves the previous manifest in place.
 */
import { createHash } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { addMonths, monthStart } from '#kernel/time/calendar.ts';
import { now } from '#platform/clock.ts';
import { anyText, oneOf, text } from '../../kit/flags.ts';
import type { Command } from '../command.ts';
import { type Bucket, openBucket } from '../storage/bucket.ts';
import { currentLogin, openApi } from '../read-api.ts';
import type { Login } from '../saved-login.ts';
import { FOCUS_VERSIONS, TABLES } from './export.ts';

const CONTENT_TYPES = {
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
} as const;
const MONTH_LENGTH = '2026-11'.length;
const NAME_DIGITS = 16;

export const exportToStorage: Command = {
  name: 'export-to',
  summary: 'Writes report tables to S3-compatible storage, for a scheduler',
  flags: {
    destination: { form: text('s3://BUCKET/PREFIX'), positional: true, required: true, about: 'Where to write' },
    table: { form: oneOf(...TABLES), repeated: true, about: 'A report table; may be repeated; default: all' },
    period: {
      form: text('YYYY-MM'),
      repeated: true,
      about: 'A UTC month; may be repeated; default: last month and this month',
    },
    format: { form: oneOf(...Object.keys(CONTENT_TYPES)), about: 'Default: parquet' },
    grain: { form: oneOf('customer', 'agent'), about: 'For charge_day and focus: also by customer or agent' },
    version: { form: oneOf(...FOCUS_VERSIONS), about: 'For focus: version of FOCUS; default: 1.2' },
    endpoint: { form: anyText('URL'), about: 'Address of the storage; default: AWS_ENDPOINT_URL_S3, or Amazon S3' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    const { storage } = dependencies.environment;
    const access = { ...storage, endpoint: args.optional('endpoint') ?? storage.endpoint };
    const bucket = openBucket(args.text('destination'), access, (seconds) => dependencies.wait(seconds));
    const login = currentLogin(args, dependencies);
    const [tables, periods] = [args.all('table'), args.all('period')];
    const format = (args.optional('format') ?? 'parquet') as keyof typeof CONTENT_TYPES;
    for (const table of tables.length > 0 ? tables : TABLES)
      for (const period of periods.length > 0 ? periods : defaultPeriods()) {
        const hasGrain = table === 'charge_day' || table === 'focus';
        const grain = hasGrain ? args.optional('grain') : undefined;
        const version = table === 'focus' ? (args.optional('version') ?? '1.2') : undefined;
        const dataset = [table, version, grain].filter((part) => part !== undefined).join('-');
        const parameters = { period, format, ...(grain && { grain }), ...(version && { version }) };
        dependencies.print(await writeExport(bucket, login, { table, dataset, parameters }));
      }
  },
};

/** Last month too, because corrections change it. */
function defaultPeriods(): string[] {
  const month = monthStart(now().getUTCFullYear(), now().getUTCMonth());
  return [addMonths(month, -1), month].map((date) => date.toISOString().slice(0, MONTH_LENGTH));
}

interface Export {
  readonly table: string;
  /** Name of the folder: table, version and grain. */
  readonly dataset: string;
  readonly parameters: { readonly period: string; readonly format: keyof typeof CONTENT_TYPES };
}

/** Returns the key of the manifest. */
async function writeExport(bucket: Bucket, login: Login, { table, dataset, parameters }: Export): Promise<string> {
  const { period, format } = parameters;
  const folder = mkdtempSync(join(tmpdir(), 'books-export-'));
  try {
    const exportedAt = now().toISOString();
    const path = join(folder, 'part');
    const hash = createHash('sha256');
    let bytes = 0;
    const body = await openApi(`/exports/${table}`, parameters, login);
    await pipeline(
      body,
      async function* counted(parts: AsyncIterable<Uint8Array>) {
        for await (const part of parts) {
          hash.update(part);
          bytes += part.length;
          yield part;
        }
      },
      createWriteStream(path),
    );
    const sha256 = hash.digest('hex');
    const parent = `${dataset}/period=${period}`;
    const key = bucket.keyOf(`${parent}/part-${sha256.slice(0, NAME_DIGITS)}.${format}`);
    await bucket.put({ key, contentType: CONTENT_TYPES[format], bytes, sha256, body: { path } });
    const manifest = {
      manifest_version: 1,
      table,
      ...parameters,
      exported_at: exportedAt,
      files: [{ key, bytes, sha256 }],
      complete: true,
    };
    const printed = `${JSON.stringify(manifest, null, 2)}\n`;
    const manifestKey = bucket.keyOf(`${parent}/manifest.json`);
    await bucket.put({
      key: manifestKey,
      contentType: 'application/json',
      bytes: Buffer.byteLength(printed),
      sha256: createHash('sha256').update(printed).digest('hex'),
      body: { text: printed },
    });
    return manifestKey;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
