/**
 * Attribution keys and token classes inside `metadata` (decision 9, D5). Metadata is the caller's own: a value that
 * does not fit its column is not an error. It stays in metadata and is ignored for attribution.
 */
import { hasTextLength } from '#kernel/bounded-text.ts';
import { sourceOfNumber } from '#kernel/json/exact-json.ts';
import { isCount } from '#kernel/json/json-field.ts';
import type { Fields } from '#kernel/json/json-object.ts';
import { parseAmount } from '#kernel/parse-amount.ts';

/** A string of 1 to 255 characters; numbers and booleans as text, like every dimension value. */
export function textInMetadata(metadata: Fields | null, key: string): string | null {
  const value = metadata?.[key];
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : typeof value === 'boolean' ? String(value) : sourceOfNumber(value);
  return text !== null && hasTextLength(text) ? text : null;
}

/** A whole number, 0 or more; null for any other value. */
export function countInMetadata(metadata: Fields | null, key: string): number | null {
  const value = metadata?.[key];
  return isCount(value) ? value + 0 : null;
}

/** An amount as plain text; null for any other value. */
export function amountInMetadata(metadata: Fields | null, key: string): string | null {
  return parseAmount(metadata?.[key]);
}
