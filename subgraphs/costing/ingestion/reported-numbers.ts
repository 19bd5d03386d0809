/** Every number in a report, by its path: tokens, units, and the numbers of its usage object. */
import { sourceOfNumber } from '#kernel/json/exact-json.ts';
import { COUNTED_CLASSES, tokensOf, wireName } from '#schema/token-classes.ts';
import type { PriceableUsage } from '../pricing/price-usage.ts';
import { PRICED_METADATA_KEYS } from '#usage/counts/read-units.ts';

const PRICED_KEYS: ReadonlySet<string> = new Set(PRICED_METADATA_KEYS);

/** Classes that were not reported are left out. */
export function reportedNumbers(report: PriceableUsage): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const name of COUNTED_CLASSES) {
    const count = report[tokensOf(name)];
    if (count !== null) numbers.set(wireName(tokensOf(name)), count);
  }
  if (report.units !== null) numbers.set('units', Number(report.units));
  for (const [key, value] of Object.entries(report.metadata ?? {})) if (PRICED_KEYS.has(key)) add(numbers, key, value);
  for (const [key, value] of Object.entries(report.providerUsage ?? {})) add(numbers, key, value);
  return numbers;
}

/** Costs stated by a vendor are not counts. */
const COSTS: ReadonlySet<string> = new Set(['cost', 'cost_details', 'cost_in_usd_ticks']);

function add(numbers: Map<string, number>, path: string, value: unknown): void {
  const number = sourceOfNumber(value);
  if (number !== null) numbers.set(path, Number(number));
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) if (!COSTS.has(key)) add(numbers, `${path}.${key}`, inner);
}
