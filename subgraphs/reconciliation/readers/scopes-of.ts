/** Builds scopes such as `project:proj_1`, widest first. */

/** `known` maps kinds to ids, widest first; null ids are left out. */
export function scopesOf(known: Readonly<Record<string, string | null>>): string[] {
  return Object.entries(known).flatMap(([kind, id]) => (id === null ? [] : [`${kind}:${id}`]));
}
