/**
 * `books export-to`: writes report tables to S3-compatible storage, for a scheduler. The manifest of each is written last:
 * a run that fails leaves the previous manifest in place.
 */
import { addMonths, monthStart } from '#kernel/time/calendar.ts';
import { now } from '#platform/clock.ts';
import { CONTENT_TYPES, writeExport } from '#platform/storage/write-export.ts';
import { anyText, oneOf, text } from '../../kit/flags.ts';
import type { Command } from '../command.ts';
import { openNamedBucket } from '../storage/bucket.ts';
import { currentLogin, openApi } from '../read-api.ts';
import { FOCUS_VERSIONS, TABLES } from './export.ts';

const MONTH_LENGTH = '2026-11'.length;

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
    const bucket = openNamedBucket(args.text('destination'), access, (seconds) => dependencies.wait(seconds));
    const login = currentLogin(args, dependencies);
    const [tables, periods] = [args.all('table'), args.all('period')];
    const format = (args.optional('format') ?? 'parquet') as keyof typeof CONTENT_TYPES;
    for (const table of tables.length > 0 ? tables : TABLES)
      for (const period of periods.length > 0 ? periods : defaultPeriods()) {
        const hasGrain = table === 'charge_day' || table === 'focus';
        const grain = hasGrain ? args.optional('grain') : undefined;
        const version = table === 'focus' ? (args.optional('version') ?? '1.2') : undefined;
        const parameters = { period, format, ...(grain && { grain }), ...(version && { version }) };
        const parts = await openApi(`/exports/${table}`, parameters, login);
        dependencies.print((await writeExport(bucket, { table, parameters, parts })).manifestKey);
      }
  },
};

/** Includes last month, because corrections change it. */
function defaultPeriods(): string[] {
  const month = monthStart(now().getUTCFullYear(), now().getUTCMonth());
  return [addMonths(month, -1), month].map((date) => date.toISOString().slice(0, MONTH_LENGTH));
}
