/** Parses one outcome as sent, or describes its error. The names match `POST /ext/v1/outcomes`. */
import { hash } from 'node:crypto';
import { hasTextLength, TEXT_CHARACTERS_MAX, textError } from '#kernel/bounded-text.ts';
import { sourceOfNumber } from '#kernel/json/exact-json.ts';
import { isFields, optionalAmount, optionalText, requiredText, requiredTime } from '#kernel/json/json-field.ts';
import type { Instant } from '#kernel/time/instant.ts';
import { fail, KnownError } from '#kernel/errors.ts';
import { unreadableReason } from '#schema/unreadable-event.ts';
import type { StatedOutcome } from './outcome.table.ts';

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
const CURRENCY = /^[A-Z]{3}$/;

/** Parses an item of a request. Invalid items are results, not exceptions. */
export function parseOutcome(item: unknown): ParsedOutcome {
  try {
    return { ok: true, outcome: readOutcome(item) };
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    const key = isFields(item) && typeof item['key'] === 'string' && hasTextLength(item['key']) ? item['key'] : null;
    return { ok: false, key: key !== null && textError(key) === null ? key : null, message: error.message };
  }
}

function readOutcome(item: unknown): SentOutcome {
  if (!isFields(item)) return fail('VALIDATION_ERROR', 'An outcome must be a JSON object');
  const reason = unreadableReason(item);
  if (reason !== null) fail('VALIDATION_ERROR', reason);
  const unknown = Object.keys(item).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined)
    fail(
      'VALIDATION_ERROR',
      `An outcome has no member ${JSON.stringify(unknown.slice(0, 40))}: use ${[...MEMBERS].join(', ')}`,
    );
  const { succeeded } = item;
  const value = optionalAmount(item, 'value');
  const currency = optionalText(item, 'currency');
  if (currency !== null && !CURRENCY.test(currency))
    fail('VALIDATION_ERROR', 'currency must be an ISO 4217 code in upper case, such as USD');
  if (currency !== null && value === null) fail('VALIDATION_ERROR', 'currency can only be sent with value');
  const statedAt = item['stated_at'] == null ? null : requiredTime(item, 'stated_at');
  const outcome = {
    key: requiredText(item, 'key'),
    name: requiredText(item, 'name'),
    succeeded: typeof succeeded === 'boolean' ? succeeded : fail('VALIDATION_ERROR', 'succeeded must be true or false'),
    at: requiredTime(item, 'at').iso,
    endUser: optionalText(item, 'user_id'),
    agent: optionalText(item, 'agent_id'),
    session: optionalText(item, 'session_id'),
    task: optionalText(item, 'task_id'),
    value,
    currency: value === null ? null : (currency ?? 'USD'),
    metadata: readMetadata(item['metadata']),
  };
  return { ...outcome, statedAt, fingerprint: hash('sha256', JSON.stringify([outcome, statedAt?.iso ?? null]), 'hex') };
}

/** Texts, numbers and booleans, as text and sorted by key. */
function readMetadata(value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isFields(value)) return fail('VALIDATION_ERROR', 'metadata must be a JSON object');
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
