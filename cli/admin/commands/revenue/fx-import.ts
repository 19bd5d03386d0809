/** Imports the European Central Bank's file of exchange rates, or own rates, for all organizations. */
import { readFileSync } from 'node:fs';
import { graphql } from '#schema/graphql.ts';
import { text } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';

const IMPORT = graphql(`mutation FxRatesImport($file: String!, $source: FxRateSource!) {
  fxRatesImport(input: { file: $file, source: $source }) { imported { first_day: firstDay last_day: lastDay added corrected unchanged } userErrors { message code } }
}`);

/** Below the maximum size of an operator's request. The whole file since 1999 is 2 MB. */
const BYTES_MAX = 4 * 1024 * 1024;

export const fxImport: Command = {
  name: 'fx import',
  summary: "Imports exchange rates from the European Central Bank's file, or own rates, for all organizations.",
  flags: {
    file: {
      form: text('FILE'),
      required: true,
      positional: true,
      about: 'eurofxref-hist.csv as published, unzipped; or eurofxref-hist-90d.csv or eurofxref.csv',
    },
    own: { about: "FILE contains your own rates. They take precedence over the bank's." },
  },
  async run(args, gateway) {
    const name = args.text('file');
    const file = readFileSync(name);
    if (file.byteLength > BYTES_MAX) throw new Error(`${name} is larger than 4 MB: it is not a file of rates`);
    const { imported } = (
      await gateway.ask(IMPORT, { file: file.toString('utf8'), source: args.has('own') ? 'OWN' : 'ECB' })
    ).fxRatesImport;
    return { output: imported };
  },
};
