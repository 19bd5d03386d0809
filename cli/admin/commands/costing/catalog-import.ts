/** Imports a price catalogue: the built-in one, or a file of the same format. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { text } from '../../../kit/flags.ts';
import { readJsonFile } from '../../../kit/read-json-file.ts';

const DOCUMENT = graphql(`mutation CatalogImport($providers: JSON, $accept: [String!]!) {
  catalogueImport(input: { providers: $providers, accept: $accept }) { changes { added changed held dropped refused omitted unnecessary_corrections: unnecessaryCorrections requeued_events: requeuedEvents } userErrors { message code } }
}`);

export const catalogImport: Command = {
  name: 'catalog import',
  summary: 'Imports the price catalogue: the built-in one, or the given file.',
  flags: {
    file: {
      form: text('F'),
      about: 'JSON: a list of providers, or {date, providers}; see docs/operations/catalogue.md for the format',
    },
    accept: {
      form: text('PROVIDER/MODEL'),
      repeated: true,
      about: 'apply a change that an import held for review',
    },
  },
  async run(args, gateway) {
    const file = args.optional('file');
    const providers = file === undefined ? undefined : readJsonFile(file);
    return { output: (await gateway.ask(DOCUMENT, { providers, accept: args.all('accept') })).catalogueImport.changes };
  },
};
