/** Reads the flags of `rate set` that have a form of their own. Decimals stay texts. */
import { RATE } from './flag-forms.ts';
import { UsageError } from './usage-error.ts';

/** Names of token rates as flags, and as fields of the schema. */
export const RATE_FIELDS = {
  input: 'input',
  output: 'output',
  'cache-creation': 'cacheCreation',
  'cache-creation-1h': 'cacheCreation1h',
  'cache-read': 'cacheRead',
  reasoning: 'reasoning',
} as const;

/** `web_searches=0.01` → `['web_searches', '0.01']`. The name may itself hold `=`. */
export function parseUnit(given: string): readonly [string, string] {
  const at = given.lastIndexOf('=');
  const [name, price] = [given.slice(0, Math.max(at, 0)).trim(), RATE.read(given.slice(at + 1))];
  if (name === '' || price === null) throw new UsageError('--unit must look like NAME=0.01');
  return [name, price];
}

/** `200000:input=2.5,cache-read=0.25` → `{ aboveInputTokens: 200000, input: '2.5', cacheRead: '0.25' }`. */
export function parseTier(given: string): Readonly<Record<string, number | string>> {
  const [above, rates] = /^(\d{1,15}):(.+)$/.exec(given)?.slice(1) ?? [];
  if (above === undefined || rates === undefined) throw new UsageError('--tier must look like 200000:input=2.5,output=15');
  return { aboveInputTokens: Number(above), ...Object.fromEntries(rates.split(',').map(parseTierRate)) };
}

function parseTierRate(given: string): readonly [string, string] {
  const [name, value, ...more] = given.split('=').map((part) => part.trim());
  const field = Object.entries(RATE_FIELDS).find(([flag]) => flag === name)?.[1];
  const rate = RATE.read(value ?? '');
  if (field === undefined || rate === null || more.length > 0) {
    throw new UsageError(`${JSON.stringify(given)} in --tier must be one of ${Object.keys(RATE_FIELDS).join(', ')} with a decimal, such as input=2.5`);
  }
  return [field, rate];
}
