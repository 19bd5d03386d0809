/** Flags, and the forms of their values: what the usage text shows for one, and how one is read. */
import { parseIso8601 } from '../../kernel/time/instant.ts';

export interface Flag {
  /** Absent: a switch without a value. */
  readonly form?: Form;
  readonly required?: true;
  readonly repeated?: true;
  /** May be typed without its name; one flag of a command at most. */
  readonly positional?: true;
  /** Also taken from standard input, by `--NAME-stdin`: what is on a command line is seen by every account of the machine. */
  readonly secret?: true;
  readonly about: string;
}

export type Flags = Readonly<Record<string, Flag>>;

export interface Form {
  readonly hint: string;
  readonly what: string;
  /** The value as it goes out, or null when it has not the form. */
  read(text: string): string | null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** As typed, whatever it is. */
export function anyText(hint: string): Form {
  return { hint, what: 'a text', read: (typed) => typed };
}

export function text(hint: string): Form {
  return { hint, what: 'a text that is not empty', read: (typed) => (typed.trim() === '' ? null : typed) };
}

export function oneOf(...words: readonly string[]): Form {
  return { hint: words.join('|'), what: words.join(' or '), read: (typed) => (words.includes(typed) ? typed : null) };
}

export const ID: Form = {
  hint: 'ID',
  what: 'a UUID',
  read: (typed) => (UUID.test(typed) ? typed.toLowerCase() : null),
};

export const COUNT: Form = {
  hint: 'N',
  what: 'a whole number',
  read: (typed) => (/^\d{1,15}$/.test(typed) ? typed : null),
};

/** Of a folder, as the shell would take it. */
export const PATH: Form = {
  hint: 'FOLDER',
  what: 'a path',
  read: (typed) => (typed === '' ? null : typed),
};

/** Stays a text: no rate passes through a double. */
export const RATE: Form = {
  hint: 'X',
  what: 'a decimal from 0, such as 1.25',
  read: (typed) => (/^\d+(\.\d+)?$/.test(typed) ? typed : null),
};

export const TIME: Form = {
  hint: 'T',
  what: 'an ISO 8601 date or date-time, such as 2026-01-31T12:00:00Z',
  read: (typed) => parseIso8601(typed)?.iso ?? null,
};

/** What is typed for a secret flag to read it from standard input. */
export function stdinSwitch(name: string): string {
  return `${name}-stdin`;
}
