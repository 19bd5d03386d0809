/** Reads one outcome as sent, or says what is wrong with it. Names are those of `POST /ext/v1/outcomes`. */
import { hash } from 'node:crypto';
import { hasTextLength, TEXT_CHARACTERS_MAX, textError } from '#kernel/bounded-text.ts';
import { isRawNumber, sourceOfNumber } from '#kernel/exact-json.ts';
import { FRACTION_DIGITS_MAX, INTEGER_DIGITS_MAX, parseAmount } from '#kernel/parse-amount.ts';
import { type Instant, parseRfc3339 } from '#kernel/time/instant.ts';
import { fail, KnownError } from '#schema/errors.ts';
import { unreadableReason } from '#schema/unreadable-event.ts';
import type { StatedOutcome } from './outcome.table.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An outcome as sent. `statedAt` is null if the sender did not give it. */
export interface SentOutcome extends Omit<StatedOutcome, 'statedAt'> {
  readonly statedAt: Instant | null;
}

export type ParsedOutcome =
  | { readonly ok: true; readonly outcome: SentOutcome }
  | { readonly ok: false; readonly key: string | null; readonly message: string };

const MEMBERS = new Set(
  'key name succeeded at user_id agent_id session_id task_id value currency metadata stated_at'.split(' '),
);
const METADATA_KEYS_MAX = 50;
const EARLIEST_MS = Date.UTC(2000, 0, 1);
const CURRENCY = /^[A-Z]{3}$/;

/** Never throws because of what was sent. */
export function parseOutcome(item: unknown): ParsedOutcome {
  try {
    return { ok: true, outcome: readOutcome(item) };
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    const key = isObject(item) && typeof item['key'] === 'string' && hasTextLength(item['key']) ? item['key'] : null;
    return { ok: false, key: key !== null && textError(key) === null ? key : null, message: error.message };
  }
}

function readOutcome(item: unknown): SentOutcome {
  if (!isObject(item)) return fail('VALIDATION_ERROR', 'An outcome must be a JSON object');
  const reason = unreadableReason(item);
  if (reason !== null) fail('VALIDATION_ERROR', reason);
  const unknown = Object.keys(item).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined)
    fail(
      'VALIDATION_ERROR',
      `An outcome has no member ${JSON.stringify(unknown.slice(0, 40))}: use ${[...MEMBERS].join(', ')}`,
    );
  const { succeeded } = item;
  const value = readValue(item['value']);
  const currency = textOf(item, 'currency');
  if (currency !== null && !CURRENCY.test(currency))
    fail('VALIDATION_ERROR', 'currency must be an ISO 4217 code in upper case, such as USD');
  if (currency !== null && value === null) fail('VALIDATION_ERROR', 'currency needs a value');
  const statedAt = item['stated_at'] == null ? null : readInstant(item, 'stated_at');
  const outcome = {
    key: requiredTextOf(item, 'key'),
    name: requiredTextOf(item, 'name'),
    succeeded: typeof succeeded === 'boolean' ? succeeded : fail('VALIDATION_ERROR', 'succeeded must be true or false'),
    at: readInstant(item, 'at').iso,
    endUser: textOf(item, 'user_id'),
    agent: textOf(item, 'agent_id'),
    session: textOf(item, 'session_id'),
    task: textOf(item, 'task_id'),
    value,
    currency: value === null ? null : (currency ?? 'USD'),
    metadata: readMetadata(item['metadata']),
  };
  return { ...outcome, statedAt, fingerprint: hash('sha256', JSON.stringify([outcome, statedAt?.iso ?? null]), 'hex') };
}

function textOf(fields: Fields, name: string): string | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || !hasTextLength(value))
    return fail('VALIDATION_ERROR', `${name} must be a string of 1 to ${TEXT_CHARACTERS_MAX} characters`);
  const error = textError(value);
  return error === null ? value : fail('VALIDATION_ERROR', `${name} must not contain ${error}`);
}

function requiredTextOf(fields: Fields, name: string): string {
  return textOf(fields, name) ?? fail('VALIDATION_ERROR', `${name} is required`);
}

function readInstant(fields: Fields, name: string): Instant {
  const value = fields[name];
  if (value === undefined || value === null) return fail('VALIDATION_ERROR', `${name} is required`);
  const instant = typeof value === 'string' ? parseRfc3339(value) : null;
  if (instant !== null && instant.epochMs >= EARLIEST_MS) return instant;
  return fail(
    'VALIDATION_ERROR',
    `${name} must be an RFC 3339 date-time with an offset or Z, such as 2026-01-31T12:00:00Z, from the year 2000 to 9999`,
  );
}

function readValue(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return (
    parseAmount(value) ??
    fail(
      'VALIDATION_ERROR',
      `value must be a number or a decimal string in plain notation, from 0, with at most ${INTEGER_DIGITS_MAX} integer and ${FRACTION_DIGITS_MAX} fraction digits`,
    )
  );
}

/** Texts, numbers and booleans, as text and sorted by key. */
function readMetadata(value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) return fail('VALIDATION_ERROR', 'metadata must be a JSON object');
  const keys = Object.keys(value).sort();
  if (keys.length > METADATA_KEYS_MAX)
    fail('VALIDATION_ERROR', `metadata must not have more than ${METADATA_KEYS_MAX} keys`);
  return Object.fromEntries(
    keys.map((key) => {
      const member = value[key];
      const text = typeof member === 'boolean' ? String(member) : (sourceOfNumber(member) ?? member);
      const isValid = [key, text].every(
        (one) => typeof one === 'string' && hasTextLength(one) && textError(one) === null,
      );
      if (!isValid)
        fail(
          'VALIDATION_ERROR',
          `metadata must contain only texts of 1 to ${TEXT_CHARACTERS_MAX} characters, numbers and booleans; ${JSON.stringify(key.slice(0, 40))} is not valid`,
        );
      return [key, text as string];
    }),
  );
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
