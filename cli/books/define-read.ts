/** A command that reads: what it asks for and how the answer is laid out. The rest is the same for all of them. */
import { now } from '../../platform/clock.ts';
import type { Command, Flag } from './command.ts';
import type { Given } from './given.ts';
import { currentLogin, readApi } from './read-api.ts';
import { WINDOWS } from './resolve-window.ts';
import type { Sheet } from './sheet.ts';
import { showCsv } from './show-csv.ts';
import { showSheet } from './show-sheet.ts';
import { UsageError } from './usage-error.ts';

export interface Question {
  /** Below `/v1`. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  layOut(body: unknown): Sheet;
}

/** A question whose answer has the shape that the contract promises. */
export function ask<Body>(path: string, parameters: object, layOut: (body: Body) => Sheet): Question {
  return { path, parameters: { ...parameters }, layOut: (body) => layOut(body as Body) };
}

export interface Read {
  readonly name: string;
  readonly summary: string;
  readonly flags?: Readonly<Record<string, Flag>>;
  question(given: Given, now: Date): Question;
}

const SHARED: Readonly<Record<string, Flag>> = {
  window: { hint: Object.keys(WINDOWS).join('|'), about: 'Default: this-month; months and years are UTC' },
  start: { hint: 'DATE', about: 'First instant, in place of a window' },
  end: { hint: 'DATE', about: 'The instant after the last one; default: now' },
  json: { about: 'Print the answer of the API, unchanged' },
  csv: { about: 'Print the table as CSV' },
  api: { hint: 'URL', about: 'Address of the service' },
};

export function defineRead({ name, summary, flags = {}, question }: Read): Command {
  return {
    name,
    summary,
    flags: { ...flags, ...SHARED },
    async run(given, surroundings) {
      if (given.has('json') && given.has('csv')) throw new UsageError('Give either --json or --csv');
      const asked = question(given, now());
      const { text, body } = await readApi<unknown>(asked.path, asked.parameters, currentLogin(given, surroundings));
      if (given.has('json')) return surroundings.print(text);
      const sheet = asked.layOut(body);
      surroundings.print(given.has('csv') ? showCsv(sheet) : showSheet(sheet));
    },
  };
}
