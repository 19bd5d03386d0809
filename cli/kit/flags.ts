/** Flags and the forms of their values: the hint in the usage text, and the parser. */
import { parseIso8601 } from '#kernel/time/instant.ts';

export interface Flag {
  /** If absent, the flag is a switch without a value. */
  readonly form?: Form;
  readonly required?: true;
  readonly repeated?: true;
  /** May be typed without its name; at most one flag per command. */
  readonly positional?: true;
  /** May also be read from standard input with `--NAME-stdin`: every account of the machine can see command lines. */
  readonly secret?: true;
  readonly about: string;
}

export type Flags = Readonly<Record<string, Flag>>;

export interface Form {
  readonly hint: string;
  readonly what: string;
  /** Returns the value to send, or null if the text is invalid. */
  read(text: string): string | null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Any text, as typed. */
export function anyText(hint: string): Form {
  return { hint, what: 'a text', read: (typed) => typed };
}

export function text(hint: string): Form {
  return { hint, what: 'a non-empty text', read: (typed) => (typed.trim() === '' ? null : typed) };
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

/** A folder path, as typed. */
export const PATH: Form = {
  hint: 'FOLDER',
  what: 'a path',
  read: (typed) => (typed === '' ? null : typed),
};

/** Stays a string: rates are never converted to a double. */
export const RATE: Form = {
  hint: 'X',
  what: 'a decimal, 0 or more, such as 1.25',
  read: (typed) => (/^\d+(\.\d+)?$/.test(typed) ? typed : null),
};

export const TIME: Form = {
  hint: 'T',
  what: 'an ISO 8601 date or date-time, such as 2026-01-31T12:00:00Z',
  read: (typed) => parseIso8601(typed)?.iso ?? null,
};

/** The switch that reads a secret flag from standard input. */
export function stdinSwitch(name: string): string {
  return `${name}-stdin`;
}
