/** Values in the JSON of providers. */
import { isFields } from '#kernel/json/json-field.ts';
import type { Fields } from '#kernel/json/json-object.ts';
import { parseExactJson } from '#kernel/json/exact-json.ts';
import { isNullText } from '../lines/decimals.ts';

/** The objects in an array, one by one, so that work on a long one can pause; none for anything else. */
export function* objectsIn(value: unknown): Generator<Fields> {
  if (Array.isArray(value)) for (const item of value) if (isFields(item)) yield item;
}

/** The objects in a short array; empty for anything else. */
export function objectsOf(value: unknown): Fields[] {
  return [...objectsIn(value)];
}

/** A non-empty text, or null. */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return isNullText(text) ? null : text;
}

/** Nested properties get names such as `sku.description`. */
export function flatten(value: Fields, prefix = ''): Fields {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) =>
      isFields(item) ? Object.entries(flatten(item, `${prefix}${name}.`)) : [[prefix + name, item]],
    ),
  );
}

/** The objects in a JSON text: a single object, or the objects of an array. Empty if the text is not JSON. */
export function objectsInText(text: string): Fields[] {
  try {
    const value = parseExactJson(text);
    return Array.isArray(value) ? objectsOf(value) : objectsOf([value]);
  } catch {
    return [];
  }
}
