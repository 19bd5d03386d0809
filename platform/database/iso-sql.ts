/** SQL that prints a `timestamptz` as ISO 8601 UTC text. */

/** Six fraction digits, which a JavaScript date would truncate; pass the result to `canonicalInstant`. */
export function isoMicros(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** Three fraction digits, for instants of our own clock. */
export function isoMillis(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
