/** Validates an event's metadata: any JSON, within limits that keep it storable (decision 9, D4). */
import { textError } from '#kernel/bounded-text.ts';
import { decimalParts } from '#kernel/decimal-text.ts';
import { fail } from '#kernel/errors.ts';
import { isRawNumber, printExactJson } from '#kernel/json/exact-json.ts';
import type { Fields } from '#kernel/json/json-object.ts';

/** Size of the compact JSON in UTF-8. */
const METADATA_BYTES_MAX = 32 * 1024;
/** Keys of the object itself; nested keys are only limited by the size. */
const METADATA_KEYS_MAX = 100;
/** Levels of objects and arrays; the metadata object is the first. */
const METADATA_DEPTH_MAX = 32;
/** Numbers have limits of their own, because eight characters can denote a number with a hundred thousand digits. */
const NUMBER_DIGITS_MAX = 40;
const NUMBER_MAGNITUDE_MAX = 308;

const SMALLEST_NUMBER = 1e-308;
const MAGNITUDE_ERROR = ` must be zero or lie between 1e-${NUMBER_MAGNITUDE_MAX} and 1e${NUMBER_MAGNITUDE_MAX} in magnitude`;
const PLAIN_KEY = /^[A-Za-z_]\w{0,39}$/;

/** The metadata and its compact JSON; both null if there is none. */
export function checkMetadata(value: unknown): { metadata: Fields | null; metadataJson: string | null } {
  if (value === undefined || value === null) return { metadata: null, metadataJson: null };
  if (typeof value !== 'object' || Array.isArray(value) || isRawNumber(value)) {
    fail('VALIDATION_ERROR', 'metadata must be a JSON object');
  }
  const metadata = value as Fields;
  const keys = Object.keys(metadata);
  if (keys.length > METADATA_KEYS_MAX)
    fail('VALIDATION_ERROR', `metadata must not have more than ${METADATA_KEYS_MAX} keys`);
  const error = objectError(metadata, keys, 1);
  if (error !== null) fail('VALIDATION_ERROR', `metadata${error}`);
  const metadataJson = printExactJson(metadata);
  if (metadataJson.length > METADATA_BYTES_MAX || Buffer.byteLength(metadataJson) > METADATA_BYTES_MAX) {
    fail('VALIDATION_ERROR', `metadata must not be longer than ${METADATA_BYTES_MAX} bytes as JSON`);
  }
  return { metadata, metadataJson };
}

/**
 * Null if the value is valid, else the error text after the value's name: the path to the error, then ` must not …`.
 */
function valueError(value: unknown, depth: number): string | null {
  switch (typeof value) {
    case 'string': {
      const error = textError(value);
      return error && ` must not contain ${error}`;
    }
    case 'number':
      return Number.isFinite(value) && (value === 0 || Math.abs(value) >= SMALLEST_NUMBER) ? null : MAGNITUDE_ERROR;
    case 'boolean':
      return null;
    case 'object':
      if (value === null) return null;
      if (isRawNumber(value)) return rawNumberError(value.rawJSON);
      if (depth > METADATA_DEPTH_MAX) return ` must not be nested deeper than ${METADATA_DEPTH_MAX} levels`;
      return Array.isArray(value) ? arrayError(value, depth) : objectError(value as Fields, Object.keys(value), depth);
    default:
      return ' must be a JSON value';
  }
}

function arrayError(items: readonly unknown[], depth: number): string | null {
  for (let index = 0; index < items.length; index++) {
    const error = valueError(items[index], depth + 1);
    if (error !== null) return `[${index}]${error}`;
  }
  return null;
}

function objectError(fields: Fields, keys: readonly string[], depth: number): string | null {
  for (const key of keys) {
    const keyError = textError(key);
    if (keyError !== null) return ` must not have a key that contains ${keyError}`;
    const error = valueError(fields[key], depth + 1);
    if (error !== null) return (PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 40))}]`) + error;
  }
  return null;
}

function rawNumberError(source: string): string | null {
  const { digits, magnitude } = decimalParts(source);
  if (Math.abs(magnitude) > NUMBER_MAGNITUDE_MAX) return MAGNITUDE_ERROR;
  return digits.length > NUMBER_DIGITS_MAX ? ` must not have more than ${NUMBER_DIGITS_MAX} significant digits` : null;
}
