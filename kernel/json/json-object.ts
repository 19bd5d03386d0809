/** Objects in parsed JSON of unknown shape. */

/** A JSON object, own keys only. */
export type Fields = Readonly<Record<string, unknown>>;

/** True for an object that is not an array. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object and not an array; otherwise `{}`. */
export function objectOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}
