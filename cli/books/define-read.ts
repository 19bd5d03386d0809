/** Defines a read command: its request and the layout of its response. Everything else is shared. */
import { printExactJson } from '#kernel/json/exact-json.ts';
import { now } from '#platform/clock.ts';
import { anyText, type Flags } from '../kit/flags.ts';
import type { Args } from '../kit/parse-args.ts';
import { UsageError } from '../kit/usage-error.ts';
import type { Command } from './command.ts';
import { currentLogin, postApi, readApi } from './read-api.ts';
import { ABOUT_WINDOW, WINDOW_NAMES } from './resolve-window.ts';
import type { Sheet } from './sheet.ts';
import { formatCsv, formatSheet } from './format-sheet.ts';

export interface ApiRead {
  /** Path below `/v1`, or below `/ext/v1` if there is a body. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body?: object;
  layOut(body: unknown): Sheet;
}

/** A request whose response has the shape promised by the contract. */
export function apiRead<Body>(path: string, parameters: object, layOut: (body: Body) => Sheet): ApiRead {
  return { path, parameters: { ...parameters }, layOut: (body) => layOut(body as Body) };
}

/** A request to `/ext/v1`, with a body. */
export function extRead<Body>(path: string, body: object, layOut: (body: Body) => Sheet): ApiRead {
  return { ...apiRead(path, {}, layOut), body };
}

export interface Read {
  readonly name: string;
  readonly summary: string;
  readonly flags?: Flags;
  toRead(args: Args, now: Date): ApiRead;
}

const SHARED: Flags = {
  window: { form: anyText(WINDOW_NAMES.join('|')), about: ABOUT_WINDOW },
  start: { form: anyText('DATE'), about: 'Start of the period, instead of --window' },
  end: { form: anyText('DATE'), about: 'End of the period, exclusive; default: now' },
  json: { about: 'Print the API response unchanged' },
  csv: { about: 'Print the table as CSV' },
  api: { form: anyText('URL'), about: 'Address of the service' },
};

/** `toRead`: what the command requests with these arguments, and how it lays out the response. */
export type ReadCommand = Command & Pick<Read, 'toRead'>;

export function defineRead({ name, summary, flags = {}, toRead }: Read): ReadCommand {
  return {
    name,
    summary,
    toRead,
    flags: { ...flags, ...SHARED },
    async run(args, dependencies) {
      if (args.has('json') && args.has('csv')) throw new UsageError('Give either --json or --csv, not both');
      const request = toRead(args, now());
      const login = currentLogin(args, dependencies);
      const { text, body } = request.body
        ? await postApi<unknown>(request.path, printExactJson(request.body), login)
        : await readApi<unknown>(request.path, request.parameters, login);
      if (args.has('json')) return dependencies.print(text);
      const sheet = request.layOut(body);
      dependencies.print(args.has('csv') ? formatCsv(sheet) : formatSheet(sheet));
    },
  };
}
