/** SQL for the values of a rollup, as costs are filtered and grouped by them. */
import { MODEL_KEY, pairOf, PROVIDER_KEY, rollupKeyOf } from '../measures/rollup-keys.ts';
import { type CostSelection, onlyValue } from './cost-selection.ts';

/** Displayed form of `value`, which is rolled up by `key`. */
export function selectedValue(key: string, value: string): string {
  if (key === MODEL_KEY) return `${value}::jsonb ->> 3`;
  return key === PROVIDER_KEY ? `${value}::jsonb ->> 1` : value;
}

/** Displayed form of `key` in the column `value` of a rollup, which may be of a pair. */
export function valueInRollup(rollupKey: string, key: string): string {
  const pair = pairOf(rollupKey);
  return selectedValue(key, pair === null ? 'value' : `(value::jsonb ->> ${pair.indexOf(rollupKeyOf(key))})`);
}

/**
 * Prefix of a pair's values, as PostgreSQL prints JSON, if its first key has one value; null if the prefix is unknown.
 * With byte-ordered text an index can use it; otherwise it avoids parsing the JSON of all other values.
 */
export function startOfValues(rollupKey: string, selection: CostSelection): string | null {
  const first = pairOf(rollupKey)?.[0];
  const value = first === undefined || first === MODEL_KEY ? null : onlyValue(selection, first);
  return value === null ? null : `[${JSON.stringify(value)}, `;
}
