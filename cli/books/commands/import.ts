/** `books import FILE --from SOURCE`: books the history that another product has recorded. */
import { HISTORY_SOURCES, type HistorySource } from '../../../packages/history-files/history-row.ts';
import { anyText, oneOf, text, TIME } from '../../kit/flags.ts';
import type { Command } from '../command.ts';
import { countLines } from '../import/count-lines.ts';
import { figureLines } from '../import/show-figures.ts';
import { importFile } from '../import/import-file.ts';
import { currentLogin } from '../read-api.ts';

export const importHistory: Command = {
  name: 'import',
  summary:
    'Books past calls from an export of Langfuse, Helicone, OpenRouter or LiteLLM. BOOKS_API_KEY needs the scope usage:write',
  flags: {
    file: { form: text('FILE'), required: true, positional: true, about: 'The export: CSV, JSON or JSON lines' },
    from: { form: oneOf(...HISTORY_SOURCES), required: true, about: 'The product that wrote the file' },
    since: { form: TIME, about: 'Skip earlier calls' },
    until: {
      form: TIME,
      about: 'Skip calls from this time on, for example the time at which your product began to report live',
    },
    'dry-run': { about: 'Read the file and count its calls; send nothing' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    const isDryRun = args.has('dry-run');
    const login = isDryRun ? null : currentLogin(args, dependencies);
    const { counts, resumedAt } = await importFile(
      {
        source: args.text('from') as HistorySource,
        path: args.text('file'),
        since: args.optional('since') ?? null,
        until: args.optional('until') ?? null,
        login,
      },
      dependencies,
    );
    if (counts.rows === 0) throw new Error(`${args.text('file')} has no rows`);
    if (resumedAt > 0) dependencies.print(`Continued after row ${resumedAt}`);
    for (const line of countLines(counts)) dependencies.print(line);
    if (counts.first !== null && counts.last !== null) {
      if (login === null) dependencies.print(`Calls from ${counts.first} to ${counts.last}; nothing was sent`);
      else {
        const figures = await figureLines(login, counts.first, counts.last);
        const none = ['To see the costs of this period, run "books costs" with a key that has the scope costs:read'];
        for (const line of figures ?? none) dependencies.print(line);
      }
    }
    if (counts.refusedRows > 0) throw new Error(`Refused ${counts.refusedRows} of ${counts.rows} rows`);
  },
};
