/** Formats a pricing context as in the books: sorted `key=value` pairs. */

/** Null and empty values are left out. */
export function contextOf(pairs: Readonly<Record<string, string | null | undefined>>): string {
  return Object.entries(pairs)
    .filter((pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== '')
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',');
}
