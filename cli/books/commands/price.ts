/** `books price`: the price of one call, of an array of calls, or of the whole body of a provider's response. */
import { readFileSync } from 'node:fs';
import { parseExactJson, printExactJson } from '#kernel/json/exact-json.ts';
import { anyText, text, TIME } from '../../kit/flags.ts';
import type { Args } from '../../kit/parse-args.ts';
import { UsageError } from '../../kit/usage-error.ts';
import type { Command } from '../command.ts';
import { formatCsv, formatSheet } from '../format-sheet.ts';
import { formatValue } from '../format-value.ts';
import { currentLogin, postApi } from '../read-api.ts';
import type { Row, Sheet } from '../sheet.ts';

interface Price {
  readonly status: string;
  readonly total_cost: string | null;
  readonly reason: string | null;
  readonly model_slug: string | null;
  readonly match_rule: string | null;
  readonly reading: string | null;
  readonly pricing_context: string | null;
  readonly unknown_context: string | null;
  readonly lines: readonly Row[];
}

/** Maximum number of calls in one request. */
const CALLS_MAX = 100;

export const price: Command = {
  name: 'price',
  summary: 'The price of a call; nothing is stored',
  flags: {
    file: {
      form: text('FILE'),
      positional: true,
      about: "JSON: a call, an array of calls, or a provider's response; default: standard input",
    },
    model: { form: text('M'), about: 'The model, if the file does not name it' },
    provider: { form: text('P'), about: 'The provider, if the file does not name it' },
    context: { form: text('PAIRS'), about: 'Pricing context, such as tier=batch' },
    at: { form: TIME, about: 'The time of the call; default: now' },
    json: { about: 'Print the API response unchanged' },
    csv: { about: 'Print the table as CSV' },
    api: { form: anyText('URL'), about: 'Address of the service' },
  },
  async run(args, dependencies) {
    if (args.has('json') && args.has('csv')) throw new UsageError('Give either --json or --csv, not both');
    const login = currentLogin(args, dependencies);
    const file = args.optional('file') ?? '-';
    const read = parse(file, file === '-' ? await dependencies.readInput() : readText(file));
    const calls = [read].flat().map((call) => withFlags(call, args));
    const prices: Price[] = [];
    for (let at = 0; at < calls.length || at === 0; at += CALLS_MAX) {
      const body = printExactJson(Array.isArray(read) ? calls.slice(at, at + CALLS_MAX) : calls[0]);
      const reply = await postApi<Price | readonly Price[]>('/price', body, login);
      if (args.has('json')) dependencies.print(reply.text);
      prices.push(...[reply.body].flat());
    }
    if (args.has('json')) return;
    const sheet = Array.isArray(read) ? asTable(prices) : asOne(prices[0]!);
    dependencies.print(args.has('csv') ? formatCsv(sheet) : formatSheet(sheet));
  },
};

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function parse(file: string, json: string): unknown {
  try {
    return parseExactJson(json);
  } catch (error) {
    throw new Error(`${file === '-' ? 'Standard input' : file} is not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Values in the file override `--model` and `--provider`, but not `--context` and `--at`. */
function withFlags(call: unknown, args: Args): unknown {
  if (typeof call !== 'object' || call === null || Array.isArray(call)) return call;
  const named = (...names: string[]) =>
    Object.fromEntries(names.flatMap((name) => (args.has(name) ? [[name, args.text(name)]] : [])));
  return { ...named('model', 'provider'), ...call, ...named('context', 'at') };
}

const LINES = [
  { name: 'class', title: 'Class', kind: 'text' },
  { name: 'quantity', title: 'Quantity', kind: 'count' },
  { name: 'rate', title: 'Rate, USD', kind: 'text' },
  { name: 'per', title: 'Per', kind: 'text' },
  { name: 'cost', title: 'Cost, USD', kind: 'text' },
  { name: 'why', title: 'Why', kind: 'text' },
] as const;

function asOne(one: Price): Sheet {
  const reading =
    one.reading === 'guessed' ? 'estimated: the counts do not say whether cached tokens are included' : one.reading;
  return {
    facts: [
      ['Cost', one.total_cost === null ? 'waiting' : `${one.total_cost} USD`],
      ...(one.reason === null ? [] : [['Reason', formatValue(one.reason, 'text')] as const]),
      ['Rate card', formatValue(one.model_slug, 'text')],
      ['Match', formatValue(one.match_rule, 'text')],
      ['Reading', formatValue(reading, 'text')],
      ...(one.unknown_context
        ? [['Left out', `${one.unknown_context}: the rate card has no price for it`] as const]
        : []),
      ['Context', one.pricing_context === '' ? 'standard' : formatValue(one.pricing_context, 'text')],
    ],
    columns: one.lines.length === 0 ? [] : LINES,
    rows: one.lines,
    remarks: [],
  };
}

function asTable(prices: readonly Price[]): Sheet {
  return {
    facts: [],
    columns: [
      { name: 'model_slug', title: 'Rate card', kind: 'text' },
      { name: 'total_cost', title: 'Cost, USD', kind: 'text' },
      { name: 'pricing_context', title: 'Context', kind: 'text' },
      { name: 'reading', title: 'Reading', kind: 'text' },
      { name: 'reason', title: 'Waits for', kind: 'text' },
      { name: 'unknown_context', title: 'Left out', kind: 'text' },
    ],
    rows: prices.map((one) => ({ ...one })),
    remarks: [],
  };
}
