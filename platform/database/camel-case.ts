/** PostgreSQL's name of a column as our code calls it: `cache_creation_1h` is `cacheCreation1h`. */
export function camelCase(column: string): string {
  return column.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
