/** Which keys are rolled up in every organization, and the names that have a meaning of their own. */

/**
 * `model` rolls up provider and model together, because by-model shows both: its values are JSON arrays `[providerId,
 * providerSlug, providerName, modelSlug]`, with `false` at the end where no event named the provider. Reads by `model` and by `provider` both come from it, so these two keys
 * never mean metadata.
 */
export const MODEL_KEY = 'model';
export const PROVIDER_KEY = 'provider';

/** Rolls up everything under one value. No one can ask for it by name: a key has at least one character. */
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
 * The value of events without the key. Rolled up like any value: a difference of totals could not tell "not
 * reported" from zero. A caller who sends this very text joins the bucket.
 */
export const UNASSIGNED = 'Unassigned';

/**
 * Begins the key of a pair and stands between its two: no key of metadata that is rolled up has it. A pair rolls up what both keys say
 * of a fact, each as it is rolled up alone: its values are JSON arrays of the two.
 */
const PAIR_MARK = '\u001f';
/** The same in SQL. */
export const PAIR_MARK_SQL = "E'\\x1f'";

/** The same for two keys in either order. */
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

/** The session of an event, as costs are grouped by it. Sessions are too many to be rolled up, and no key of metadata has the mark. */
export const SESSION_KEY = `${PAIR_MARK}session`;

/** The key under which a key's figures are rolled up. */
export function rollupKeyOf(key: string): string {
  return key === PROVIDER_KEY ? MODEL_KEY : key;
}

/** Whether the key is rolled up without anyone's registering it. */
export function isBuiltIn(key: string): boolean {
  return BUILT_IN_KEYS.includes(rollupKeyOf(key));
}
