/** Instants in text: a JavaScript date would cut the microseconds off. */
import { parseIso8601 } from '../../../kernel/time/instant.ts';

/** SQL that prints a `timestamptz` column. */
export function isoText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** Such a text in the form that answers have: microseconds only where there are any. */
export function isoInstant(text: string): string {
  return parseIso8601(text)?.iso ?? text;
}
