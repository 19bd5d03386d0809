/**
 * Reads an event's usage and metadata, which contain arbitrary data of the caller, without ever reading an inherited
 * property.
 */

/** The value at a path of keys; undefined if the path does not exist. */
export function valueAt(holder: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined),
    holder,
  );
}

const WHOLE_NUMBER = /^\d{1,15}(?:\.0*)?$/;

/** A whole number, 0 or more, even if written as a string. Null for anything else: such a count is absent, never 0. */
export function countOrNull(value: unknown): number | null {
  const count = typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

/**
 * The count at a path. The AI SDK nests its counts: `{ total, noCache, cacheRead, cacheWrite }` and `{ total, text,
 * reasoning }`.
 */
export function countAt(holder: unknown, path: readonly string[]): number | null {
  const value = valueAt(holder, path);
  if (!isRecord(value) || Array.isArray(value)) return countOrNull(value);
  const parts = NESTED_PARTS.flatMap((name) => countOrNull(valueAt(value, [name])) ?? []);
  const sum = parts.length === 0 ? null : parts.reduce((total, part) => total + part, 0);
  return countOrNull(valueAt(value, ['total'])) ?? sum;
}

const NESTED_PARTS: readonly string[] = ['noCache', 'cacheRead', 'cacheWrite', 'text', 'reasoning'];

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
