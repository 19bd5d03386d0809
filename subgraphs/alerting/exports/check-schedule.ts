/** Checks the parts of a schedule that a person enters. Each function fails with `VALIDATION_ERROR`. */
import { enumText } from '#kernel/enum-value.ts';
import { fail } from '#kernel/errors.ts';
import { findReport, parseReportRequest, type ReportRequest } from '../../../reports/export-report.ts';
import { NAME_LENGTH_MAX, PREFIX_LENGTH_MAX } from '../config.ts';
import type { ExportFormat, ExportScheduleSaveInput } from '../resolvers.generated.ts';

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const REGION = /^[a-z0-9-]{1,50}$/;
const ACCESS_KEY_ID = /^[\w.+=@-]{3,200}$/;
const SECRET = /^[\x21-\x7e]{8,500}$/;
const ENDPOINT_LENGTH_MAX = 2_000;
const SAMPLE_PERIOD = '2026-01';
const SAMPLE_NOW = new Date('2026-03-01T00:00:00Z');

export interface ExportContent {
  readonly tables: readonly string[];
  readonly format: ExportFormat;
  readonly grain: string | null;
  readonly version: string | null;
}

export interface Destination {
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
}

export function checkName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > NAME_LENGTH_MAX || /\p{Cc}/u.test(name))
    fail('VALIDATION_ERROR', `name must have 1 to ${NAME_LENGTH_MAX} characters, on one line`);
  return name;
}

/** Each table once; absent parts are null. */
export function checkContent(input: ExportScheduleSaveInput): ExportContent {
  const content = {
    tables: [...new Set(input.tables)],
    format: input.format,
    grain: input.grain ?? null,
    version: input.version ?? null,
  };
  if (content.tables.length === 0) fail('VALIDATION_ERROR', 'tables must name at least one report table');
  if (input.tables.length > 100) fail('VALIDATION_ERROR', 'tables must name each report table once');
  const requests = content.tables.map((table) => requestOf(table, content, SAMPLE_PERIOD, SAMPLE_NOW));
  if (content.grain !== null && !requests.some(({ table }) => table.grains.length > 1))
    fail('VALIDATION_ERROR', 'grain: none of the tables offers grains');
  if (content.version !== null && !requests.some(({ table }) => table.editions !== undefined))
    fail('VALIDATION_ERROR', 'version: none of the tables offers versions');
  return content;
}

/** Grain and version apply to the tables that offer them. */
export function requestOf(
  name: string,
  { format, grain, version }: Omit<ExportContent, 'tables'>,
  period: string,
  now: Date,
): ReportRequest {
  const table = findReport(name);
  return parseReportRequest(
    table,
    {
      period,
      format: enumText(format),
      ...(grain !== null && table.grains.length > 1 && { grain }),
      ...(version !== null && table.editions !== undefined && { version }),
    },
    now,
  );
}

/** Trimmed, with the default region `us-east-1`. */
export function checkDestination(input: ExportScheduleSaveInput): Destination {
  const [bucket, accessKeyId] = [input.bucket.trim(), input.accessKeyId.trim()];
  const region = input.region?.trim() || 'us-east-1';
  if (!BUCKET.test(bucket))
    fail(
      'VALIDATION_ERROR',
      'bucket must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
    );
  if (!REGION.test(region)) fail('VALIDATION_ERROR', 'region must be the name of a region, such as eu-central-1');
  if (!ACCESS_KEY_ID.test(accessKeyId)) fail('VALIDATION_ERROR', 'accessKeyId must have 3 to 200 letters and digits');
  return {
    endpoint: checkEndpoint(input.endpoint),
    region,
    bucket,
    prefix: checkPrefix(input.prefix ?? ''),
    accessKeyId,
  };
}

export function checkSecret(secret: string): string {
  if (!SECRET.test(secret)) fail('VALIDATION_ERROR', 'secretAccessKey must have 8 to 500 characters without spaces');
  return secret;
}

function checkEndpoint(text: string | null | undefined): string | null {
  const endpoint = text?.trim() ?? '';
  if (endpoint === '') return null;
  const url = URL.canParse(endpoint) && endpoint.length <= ENDPOINT_LENGTH_MAX ? new URL(endpoint) : null;
  if (url === null || url.search !== '' || url.hash !== '' || !['https:', 'http:'].includes(url.protocol))
    return fail('VALIDATION_ERROR', 'endpoint must be a URL that starts with https://');
  return url.href.replace(/\/$/, '');
}

/** `..` would leave the bucket, because it is resolved in the request's URL. */
function checkPrefix(text: string): string {
  const parts = text.split('/').filter((part) => part !== '');
  const prefix = parts.join('/');
  if (prefix.length > PREFIX_LENGTH_MAX || /\p{Cc}/u.test(prefix) || parts.some((part) => /^\.{1,2}$/.test(part)))
    fail('VALIDATION_ERROR', `prefix must have at most ${PREFIX_LENGTH_MAX} characters, without "." and ".." as parts`);
  return prefix;
}
