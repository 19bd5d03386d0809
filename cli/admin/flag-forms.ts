/** The forms of values: what the usage text shows for one, and how one is read. */
import { parseIso8601 } from '../../kernel/time/instant.ts';

export interface Form {
  readonly hint: string;
  readonly what: string;
  /** The value as it goes out, or null when it has not the form. */
  read(text: string): string | null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function text(hint: string): Form {
  return { hint, what: 'a text that is not empty', read: (given) => (given.trim() === '' ? null : given) };
}

export function oneOf(...words: readonly string[]): Form {
  return { hint: words.join('|'), what: words.join(' or '), read: (given) => (words.includes(given) ? given : null) };
}

export const ID: Form = { hint: 'ID', what: 'a UUID', read: (given) => (UUID.test(given) ? given.toLowerCase() : null) };

export const COUNT: Form = {
  hint: 'N',
  what: 'a whole number',
  read: (given) => (/^\d{1,15}$/.test(given) ? given : null),
};

/** Stays a text: no rate passes through a double. */
export const RATE: Form = { hint: 'X', what: 'a decimal from 0, such as 1.25', read: (given) => (/^\d+(\.\d+)?$/.test(given) ? given : null) };

export const TIME: Form = {
  hint: 'T',
  what: 'an ISO 8601 date or date-time, such as 2026-01-31T12:00:00Z',
  read: (given) => parseIso8601(given)?.iso ?? null,
};
