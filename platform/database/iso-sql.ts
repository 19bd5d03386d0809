/** SQL that prints a `timestamptz` as ISO 8601 UTC: raw rows carry instants as text. */

/** Six digits of fraction, which a JavaScript date would cut off; `canonicalInstant` makes the one form of it. */
export function isoMicros(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** Three digits, for instants of our own clock. */
export function isoMillis(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
