/** Keys that are rolled up in every organization, and names with a special meaning. */

/**
 * `model` rolls up provider and model together, because by-model shows both. Its values are JSON arrays `[providerId,
 * providerSlug, providerName, modelSlug]`, with a final `false` if no event named the provider. Reads by `model` and by
 * `provider` both use this key, so neither name ever refers to metadata.
 */
export const MODEL_KEY = 'model';
export const PROVIDER_KEY = 'provider';

/** Rolls up everything under one value. Callers cannot request it by name: a key has at least one character. */
export const TOTAL_KEY = '';

/** Attribution keys that ingestion maps for every event. */
const MAPPED_KEYS: readonly string[] = [
  'agent_id',
  'feature',
  'workflow_id',
  'experiment_id',
  'variant',
  'session_type',
];

/** Rolled up from an organization's first fact on. */
export const BUILT_IN_KEYS: readonly string[] = [TOTAL_KEY, MODEL_KEY, ...MAPPED_KEYS];

/**
 * Value of events without the key. It is rolled up like any value: a difference of totals could not distinguish "not
 * reported" from zero. Events sent with this exact text join the same bucket.
 */
export const UNASSIGNED = 'Unassigned';

/**
 * Starts the key of a pair and separates its two keys; rolled-up metadata keys never contain it. The values of a pair
 * are JSON arrays of both keys' values, each as in the key's own rollup.
 */
const PAIR_MARK = '\u001f';
/** The mark as an SQL literal. */
export const PAIR_MARK_SQL = "E'\\x1f'";

/** Key of a pair; the order of the two keys does not matter. */
export function pairKey(one: string, other: string): string {
  return [one, other]
    .sort()
    .map((key) => `${PAIR_MARK}${key}`)
    .join('');
}

/** The two keys of a pair, in the order of its values; null for any other key. */
export function pairOf(key: string): readonly [string, string] | null {
  const [before, one, other] = key.split(PAIR_MARK);
  return before === '' && one !== undefined && other !== undefined ? [one, other] : null;
}

/**
 * Groups costs by the event's session. There are too many sessions to roll up. Metadata keys never contain the mark.
 */
export const SESSION_KEY = `${PAIR_MARK}session`;

/** The key whose rollup contains a key's figures. */
export function rollupKeyOf(key: string): string {
  return key === PROVIDER_KEY ? MODEL_KEY : key;
}

/** True if the key is rolled up without being registered. */
export function isBuiltIn(key: string): boolean {
  return BUILT_IN_KEYS.includes(rollupKeyOf(key));
}
