/** Picks named fields of untrusted input. */
import { type Fields, objectOf } from '#kernel/json/json-object.ts';

export function picked(item: unknown, names: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(objectOf(item)).filter(([name]) => names.has(name)));
}
