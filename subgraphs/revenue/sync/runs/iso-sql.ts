/** Raw rows carry instants as text: one form of it. */

/** A `timestamptz` column as ISO 8601 UTC with milliseconds, under its own name. */
export function isoSql(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`;
}
