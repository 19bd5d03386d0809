/** Picks named fields of untrusted input. */

type Fields = Readonly<Record<string, unknown>>;

export function picked(item: unknown, names: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(fieldsOf(item)).filter(([name]) => names.has(name)));
}

/** The item if it is an object, otherwise `{}`. */
export function fieldsOf(item: unknown): Fields {
  return typeof item === 'object' && item !== null && !Array.isArray(item) ? (item as Fields) : {};
}
