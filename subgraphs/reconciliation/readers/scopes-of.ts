/** Builds scopes such as `project:proj_1`, widest first. */

export function scopesOf(known: Readonly<Record<string, string | null>>): string[] {
  return Object.entries(known).flatMap(([kind, id]) => (id === null ? [] : [`${kind}:${id}`]));
}
