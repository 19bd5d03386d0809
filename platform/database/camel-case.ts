/** Converts a column name to camelCase: `cache_creation_1h` becomes `cacheCreation1h`. */
export function camelCase(column: string): string {
  return column.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
