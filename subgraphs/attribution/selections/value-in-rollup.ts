/** The values of a rollup, as costs are filtered and grouped by them: SQL. */
import { MODEL_KEY, pairOf, PROVIDER_KEY, rollupKeyOf } from '../measures/rollup-keys.ts';
import type { CostSelection } from './cost-selection.ts';

/** What is shown of `value`, which is rolled up by `key`. */
export function selectedValue(key: string, value: string): string {
  if (key === MODEL_KEY) return `${value}::jsonb ->> 3`;
  return key === PROVIDER_KEY ? `${value}::jsonb ->> 1` : value;
}

/** What is shown of `key` in the column `value` of a rollup, which may be of a pair. */
export function valueInRollup(rollupKey: string, key: string): string {
  const pair = pairOf(rollupKey);
  return selectedValue(key, pair === null ? 'value' : `(value::jsonb ->> ${pair.indexOf(rollupKeyOf(key))})`);
}

/**
 * What the values of a pair begin with, as PostgreSQL prints JSON, where its first key is filtered; null where nothing is known of it.
 * The index finds them where the database orders text by its bytes; elsewhere the JSON of all others is spared.
 */
export function startOfValues(rollupKey: string, { conditions }: CostSelection): string | null {
  const first = pairOf(rollupKey)?.[0];
  const condition = conditions.find(({ key }) => key === first && key !== MODEL_KEY);
  return condition === undefined ? null : `[${JSON.stringify(condition.value)}, `;
}
