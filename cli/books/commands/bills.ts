/** `books bills import|compare|explain`: imports providers' bills and compares them with the books. */
import { readFile } from 'node:fs/promises';
import { printExactJson } from '#kernel/json/exact-json.ts';
import { now } from '#platform/clock.ts';
import { anyText, type Flags } from '../../kit/flags.ts';
import type { Args } from '../../kit/parse-args.ts';
import { UsageError } from '../../kit/usage-error.ts';
import type { Command } from '../command.ts';
import type { Dependencies } from '../dependencies.ts';
import { formatCsv, formatSheet } from '../format-sheet.ts';
import { currentLogin, postApi, postFile } from '../read-api.ts';
import { ABOUT_WINDOW, rangeOfArgs, WINDOW_NAMES } from '../resolve-window.ts';
import type { Sheet } from '../sheet.ts';

/** Exit status while a difference on a settled day is neither explained nor accepted. */
const UNEXPLAINED = 2;

interface Imported {
  readonly source: string;
  readonly from_day: string;
  readonly to_day: string;
  readonly is_new: boolean;
  readonly lines: number;
  readonly unread_lines: number;
}

interface Bills {
  readonly days: readonly {
    readonly source: string;
    readonly day: string;
    readonly state: string;
    readonly coverage: string;
    readonly billed: string;
    readonly own: string | null;
    readonly difference: string | null;
    readonly unexplained: string | null;
    readonly unknown_currencies: readonly string[];
    readonly is_unexplained: boolean;
    readonly amount_verdict: string;
    readonly quantity_verdict: string;
    readonly differences: readonly {
      readonly model: string | null;
      readonly unit: string | null;
      readonly unread_names: readonly string[];
      readonly billed: string;
      readonly unknown_currency: string | null;
      readonly unexplained: string | null;
      readonly causes: readonly { readonly cause: string; readonly amount: string; readonly detail: string }[];
    }[];
  }[];
}

export const importBill: Command = {
  name: 'bills import',
  summary: "Imports a provider's cost or usage file. BOOKS_API_KEY needs the scope bills:write",
  flags: {
    file: { form: anyText('FILE'), required: true, positional: true, about: 'The file, plain or gzip' },
    json: { about: 'Print the API response unchanged' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    const login = currentLogin(args, dependencies);
    const reply = await postFile<Imported>('/bills', await readFile(args.text('file')), login);
    if (args.has('json')) return dependencies.print(reply.text);
    const { source, from_day: from, to_day: to, is_new: isNew, lines, unread_lines: unread } = reply.body;
    dependencies.print(`${source}, ${from} to ${to}: ${lines} lines${isNew ? '' : ', imported before'}`);
    if (unread > 0)
      dependencies.say(`${unread} lines are not fully understood: they count towards the total of their day`);
  },
};

const READING: Flags = {
  window: { form: anyText(WINDOW_NAMES.join('|')), about: ABOUT_WINDOW },
  start: { form: anyText('DATE'), about: 'Start of the period, instead of --window' },
  end: { form: anyText('DATE'), about: 'End of the period, exclusive; default: now' },
  json: { about: 'Print the API response unchanged' },
  csv: { about: 'Print the table as CSV' },
  api: { form: anyText('URL'), about: 'Address of the service' },
};

export const compareBills: Command = {
  name: 'bills compare',
  summary: 'Compares bills with the books, day by day; exits with 2 while a settled day is unexplained',
  flags: READING,
  run: (args, dependencies) => read(args, dependencies, daySheet),
};

export const explainBills: Command = {
  name: 'bills explain',
  summary: 'Lists causes of differences between bills and the books; exits with 2 while a settled day is unexplained',
  flags: READING,
  run: (args, dependencies) => read(args, dependencies, causeSheet),
};

async function read(args: Args, dependencies: Dependencies, toSheet: (bills: Bills) => Sheet): Promise<number> {
  if (args.has('json') && args.has('csv')) throw new UsageError('Give either --json or --csv, not both');
  const body = printExactJson(rangeOfArgs(args, now()));
  const reply = await postApi<Bills>('/bill-days', body, currentLogin(args, dependencies));
  const sheet = toSheet(reply.body);
  dependencies.print(args.has('json') ? reply.text : args.has('csv') ? formatCsv(sheet) : formatSheet(sheet));
  return reply.body.days.some((day) => day.is_unexplained) ? UNEXPLAINED : 0;
}

const words = (name: string) => name.toLowerCase().replaceAll('_', ' ');

function daySheet({ days }: Bills): Sheet {
  return {
    facts: [['Days with a bill', String(days.length)]],
    columns: [
      { name: 'day', title: 'Day', kind: 'text' },
      { name: 'source', title: 'Source', kind: 'text' },
      { name: 'state', title: 'State', kind: 'text' },
      { name: 'billed', title: 'Billed', kind: 'text' },
      { name: 'own', title: 'Books', kind: 'text' },
      { name: 'difference', title: 'Difference', kind: 'text' },
      { name: 'unexplained', title: 'Unexplained', kind: 'text' },
      { name: 'unknown_currencies', title: 'Unknown currency', kind: 'text' },
      { name: 'quantities', title: 'Quantities', kind: 'text' },
      { name: 'amounts', title: 'Amounts', kind: 'text' },
    ],
    rows: days.map((day) => ({
      ...day,
      state: words(day.state),
      unknown_currencies: day.unknown_currencies.length === 0 ? null : day.unknown_currencies.join(' '),
      quantities: words(day.quantity_verdict),
      amounts: words(day.amount_verdict),
    })),
    remarks: [],
  };
}

function causeSheet({ days }: Bills): Sheet {
  const rows = days.flatMap(({ day, source, differences }) =>
    differences.flatMap(
      ({ model, unit, causes, unexplained, billed, unknown_currency: currency, unread_names: unread }) =>
        [
          ...causes.map(({ cause, amount, detail }) => ({ cause: words(cause), amount, detail })),
          ...(unexplained === null || unexplained === '0'
            ? []
            : [
                {
                  cause: 'unexplained',
                  amount: unexplained,
                  detail: unread.length === 0 ? '' : `not understood: ${unread.join(', ')}`,
                },
              ]),
          ...(currency === null
            ? []
            : [{ cause: 'unknown currency', amount: `${billed} ${currency}`, detail: 'unknown exchange rate' }]),
        ].map((row) => ({ day, source, model, unit, ...row })),
    ),
  );
  return {
    facts: [['Causes', String(rows.length)]],
    columns: [
      { name: 'day', title: 'Day', kind: 'text' },
      { name: 'source', title: 'Source', kind: 'text' },
      { name: 'model', title: 'Model', kind: 'text' },
      { name: 'unit', title: 'Unit', kind: 'text' },
      { name: 'cause', title: 'Cause', kind: 'text' },
      { name: 'amount', title: 'Amount', kind: 'text' },
      { name: 'detail', title: 'Detail', kind: 'text' },
    ],
    rows,
    remarks: [],
  };
}
