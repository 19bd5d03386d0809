/** What callers may hang on an event: anything JSON can say, within bounds that keep it storable (decision 9, D4). */
import { decimalParts } from '../../../kernel/decimal-text.ts';
import { fail } from '../../../schema/errors.ts';
import { isRawNumber, printExactJson } from '../../../kernel/exact-json.ts';
import { type Fields, textFlaw } from './event-field.ts';

/** Size of the compact JSON in UTF-8. */
const METADATA_BYTES_MAX = 32 * 1024;
/** Keys of the object itself; what lies deeper is bounded by the size alone. */
const METADATA_KEYS_MAX = 100;
/** Levels of objects and arrays; the metadata object is the first. */
const METADATA_DEPTH_MAX = 32;
/** A number of a hundred thousand digits takes eight characters to write: numbers are bounded by themselves. */
const NUMBER_DIGITS_MAX = 40;
const NUMBER_MAGNITUDE_MAX = 308;

const SMALLEST_NUMBER = 1e-308;
const FLAW_OF_MAGNITUDE = ` must be zero or lie between 1e-${NUMBER_MAGNITUDE_MAX} and 1e${NUMBER_MAGNITUDE_MAX} in magnitude`;
const PLAIN_KEY = /^[A-Za-z_]\w{0,39}$/;

/** The metadata and its compact JSON, both null when there is none. */
export function checkMetadata(value: unknown): { metadata: Fields | null; metadataJson: string | null } {
  if (value === undefined || value === null) return { metadata: null, metadataJson: null };
  if (typeof value !== 'object' || Array.isArray(value) || isRawNumber(value)) {
    fail('VALIDATION_ERROR', 'metadata must be a JSON object');
  }
  const metadata = value as Fields;
  const keys = Object.keys(metadata);
  if (keys.length > METADATA_KEYS_MAX)
    fail('VALIDATION_ERROR', `metadata must not have more than ${METADATA_KEYS_MAX} keys`);
  const flaw = flawOfObject(metadata, keys, 1);
  if (flaw !== null) fail('VALIDATION_ERROR', `metadata${flaw}`);
  const metadataJson = printExactJson(metadata);
  if (metadataJson.length > METADATA_BYTES_MAX || Buffer.byteLength(metadataJson) > METADATA_BYTES_MAX) {
    fail('VALIDATION_ERROR', `metadata must not be longer than ${METADATA_BYTES_MAX} bytes as JSON`);
  }
  return { metadata, metadataJson };
}

/**
 * Null when nothing is wrong, else where and what: ` must not …` after the path from the value that was asked about.
 */
function flawOf(value: unknown, depth: number): string | null {
  switch (typeof value) {
    case 'string': {
      const flaw = textFlaw(value);
      return flaw && ` must not contain ${flaw}`;
    }
    case 'number':
      return Number.isFinite(value) && (value === 0 || Math.abs(value) >= SMALLEST_NUMBER) ? null : FLAW_OF_MAGNITUDE;
    case 'boolean':
      return null;
    case 'object':
      if (value === null) return null;
      if (isRawNumber(value)) return flawOfRawNumber(value.rawJSON);
      if (depth > METADATA_DEPTH_MAX) return ` must not be nested deeper than ${METADATA_DEPTH_MAX} levels`;
      return Array.isArray(value)
        ? flawOfArray(value, depth)
        : flawOfObject(value as Fields, Object.keys(value), depth);
    default:
      return ' must be a JSON value';
  }
}

function flawOfArray(items: readonly unknown[], depth: number): string | null {
  for (let index = 0; index < items.length; index++) {
    const flaw = flawOf(items[index], depth + 1);
    if (flaw !== null) return `[${index}]${flaw}`;
  }
  return null;
}

function flawOfObject(fields: Fields, keys: readonly string[], depth: number): string | null {
  for (const key of keys) {
    const flawOfKey = textFlaw(key);
    if (flawOfKey !== null) return ` must not have a key that contains ${flawOfKey}`;
    const flaw = flawOf(fields[key], depth + 1);
    if (flaw !== null) return (PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 40))}]`) + flaw;
  }
  return null;
}

function flawOfRawNumber(source: string): string | null {
  const { digits, magnitude } = decimalParts(source);
  if (Math.abs(magnitude) > NUMBER_MAGNITUDE_MAX) return FLAW_OF_MAGNITUDE;
  return digits.length > NUMBER_DIGITS_MAX ? ` must not have more than ${NUMBER_DIGITS_MAX} significant digits` : null;
}
