/**
 * Finds the unknown fields of an item. They are accepted (decision 9, D5), but listed in the result (decision 9, D64).
 */
import { isUsageKey } from '#usage/counts/provider-usage.ts';

/** Fields of an event's top level, besides a provider's usage (contract.md, "Usage event as sent"; decision 9, D5). */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'idempotency_key',
  'model',
  'provider',
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'reasoning_tokens',
  'event_invoked_at',
  'user_id',
  'cost_override',
  'experiment',
  'session_id',
  'session_type',
  'span_id',
  'parent_span_id',
  'feature',
  'agent_id',
  'workflow_id',
  'units',
  'metadata',
]);

/** Names that are not typos, but other products' names for our fields. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  cachedtokens: 'cache_read_input_tokens',
  cacheread: 'cache_read_input_tokens',
  cachecreation: 'cache_creation_input_tokens',
  customer: 'user_id',
  customerid: 'user_id',
  enduser: 'user_id',
  enduserid: 'user_id',
  user: 'user_id',
  timestamp: 'event_invoked_at',
  agent: 'agent_id',
  workflow: 'workflow_id',
  session: 'session_id',
  cost: 'cost_override',
  quantity: 'units',
  tags: 'metadata',
};

const NAMES_MAX = 10;
const NAME_CHARACTERS_MAX = 40;

const NONE: readonly string[] = [];

/** Fields that are not an event's own, in the order sent. */
export function otherFields(item: object): readonly string[] {
  let others: string[] | undefined;
  for (const key of Object.keys(item)) if (!KNOWN_FIELDS.has(key)) (others ??= []).push(key);
  return others ?? NONE;
}

/** Removes known usage keys from the other fields; empty for almost every event. */
export function unknownFields(item: object, others: readonly string[] = otherFields(item)): readonly string[] {
  return others.length === 0 ? NONE : others.filter((key) => !isUsageKey(key, item));
}

/** The field that was probably meant; null if no field is similar. */
export function suggestField(name: string): string | null {
  const plain = plainName(name);
  const other = Object.hasOwn(OTHER_WORDS, plain) ? OTHER_WORDS[plain] : undefined;
  if (other !== undefined) return other;
  for (const field of KNOWN_FIELDS) if (plainName(field) === plain) return field;
  const near = [...KNOWN_FIELDS].filter((field) => isTypo(plainName(field), plain));
  return near.length === 1 ? (near[0] ?? null) : null;
}

/** `Not understood: userId, colour; did you mean user_id?`; null if all fields are understood. */
export function describeUnknownFields(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  const shown = names.slice(0, NAMES_MAX).map(presentName);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  const meant = [...new Set(names.slice(0, NAMES_MAX).flatMap((name) => suggestField(name) ?? []))];
  return `Not understood: ${shown.join(', ')}${more}${meant.length === 0 ? '' : `; did you mean ${meant.join(', ')}?`}`;
}

function presentName(name: string): string {
  return /^[\w.:-]+$/.test(name) && name.length <= NAME_CHARACTERS_MAX
    ? name
    : JSON.stringify([...name.toWellFormed()].slice(0, NAME_CHARACTERS_MAX).join(''));
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** True if one letter was added, omitted or changed. */
function isTypo(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || one.length < 5) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [rest, restOther] = [one.slice(start), other.slice(start)];
  return rest.slice(1) === restOther.slice(1) || rest.slice(1) === restOther || rest === restOther.slice(1);
}
