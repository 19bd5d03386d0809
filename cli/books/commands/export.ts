/** `books export`: writes a report table to a file. */
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { anyText, oneOf, text } from '../../kit/flags.ts';
import { UsageError } from '../../kit/usage-error.ts';
import type { Command } from '../command.ts';
import { currentLogin, openApi } from '../read-api.ts';

export const TABLES = ['charge_day', 'revenue_day', 'margin_day', 'rate_history', 'end_user', 'focus'] as const;
export const FOCUS_VERSIONS = ['1.2', '1.4'] as const;

export const exportReport: Command = {
  name: 'export',
  summary: 'Exports a report table as a file',
  flags: {
    table: {
      form: oneOf(...TABLES),
      positional: true,
      required: true,
      about: 'The report table',
    },
    period: { form: text('YYYY-MM'), about: 'A UTC month, or a day as YYYY-MM-DD; default: the current month' },
    format: { form: oneOf('csv', 'jsonl', 'parquet'), about: 'Default: csv' },
    grain: {
      form: oneOf('sku', 'customer', 'agent'),
      about: 'For charge_day and focus: also by customer or agent; default: sku',
    },
    version: { form: oneOf(...FOCUS_VERSIONS), about: 'For focus: version of FOCUS; default: 1.2' },
    output: { form: text('FILE'), about: 'Default: standard output' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    const output = args.optional('output');
    if (args.optional('format') === 'parquet' && output === undefined)
      throw new UsageError('Parquet is a binary format: name a file with --output');
    const parameters = Object.fromEntries(
      ['period', 'format', 'grain', 'version'].flatMap((name) => (args.has(name) ? [[name, args.text(name)]] : [])),
    );
    const body = await openApi(`/exports/${args.text('table')}`, parameters, currentLogin(args, dependencies));
    if (output === undefined) {
      const decoder = new TextDecoder();
      for await (const part of body) dependencies.write(decoder.decode(part, { stream: true }));
      return;
    }
    // Only a complete file gets its final name.
    const partial = `${output}.part`;
    try {
      await pipeline(body, createWriteStream(partial));
      renameSync(partial, output);
    } catch (error) {
      rmSync(partial, { force: true });
      throw new Error(`${output} was not written: ${(error as Error).message}`, { cause: error });
    }
  },
};
