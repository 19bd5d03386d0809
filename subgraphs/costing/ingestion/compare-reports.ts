/**
 * Decides whether a report under a known key repeats the stored one, adds to the same call, or is about another call
 * (decision 76).
 */
import { quantity } from '#kernel/money.ts';
import { MINUTE_MS } from '#kernel/time/duration.ts';
import { TOKEN_CLASS_NAMES } from '#schema/token-classes.ts';
import { BILLED_UNITS, billedUnitCount, unitHolders } from '#usage/counts/billed-units.ts';
import { isIncomplete } from '#usage/counts/incomplete.ts';
import { contextPairs, readPricingContext } from '../pricing/pricing-context.ts';
import type { PriceableUsage } from '../pricing/price-usage.ts';
import { readTokens, type TokenReading } from '#usage/counts/read-tokens.ts';
import { candidateNames } from '#usage/names/candidate-names.ts';
import { usageSources } from '#usage/counts/usage-sources.ts';
import { reportedNumbers } from './reported-numbers.ts';

export interface Report extends PriceableUsage {
  readonly receivedAtMs: number;
}

export type Verdict = 'same' | 'larger' | 'conflict';

/** `isSameCard`: true if one rate card prices both models. */
export function compareReports(stored: Report, later: Report, isSameCard: () => boolean): Verdict {
  const time = timeBetween(stored, later);
  if (time === 'far' || !(isSameName(stored.model, later.model) || isSameCard())) return 'conflict';
  const isEstimate = isIncomplete(stored.metadata);
  if (isIncomplete(later.metadata)) return isEstimate && growthBetween(stored, later) === 'larger' ? 'larger' : 'same';
  if (isEstimate) return 'larger';
  const growth = growthBetween(stored, later);
  if (growth === 'larger' && time === 'near' && !hasSameInput(stored, later)) return 'conflict';
  return growth === 'other' ? 'conflict' : growth;
}

/** True if both names have a catalogue name in common: `gpt-4o-2024-08-06` is a `gpt-4o`, `gpt-4o-mini` is not. */
function isSameName(one: string, other: string): boolean {
  const names = new Set(candidateNames(one).map(({ name }) => name));
  return one === other || candidateNames(other).some(({ name }) => names.has(name));
}

const SECOND_MS = 1_000;
/** Allows for the longest call plus clock differences between two senders. */
const NEAR_MS = 10 * MINUTE_MS;
/** A report whose time differs from its receipt by less than this has no time of its own. */
const UNTIMED_MS = 100;

/**
 * Also `equal` if one report has no time of its own. Times in whole seconds come from the provider: if both reports
 * have such a time and the times differ, they are two calls. Finer times are measured by senders and may differ for one
 * call.
 */
function timeBetween(stored: Report, later: Report): 'equal' | 'near' | 'far' {
  const isUntimed = ({ eventTimeMs, receivedAtMs }: Report) => Math.abs(receivedAtMs - eventTimeMs) < UNTIMED_MS;
  if (isUntimed(stored) || isUntimed(later)) return 'equal';
  const second = ({ eventTimeMs }: Report) => Math.floor(eventTimeMs / SECOND_MS);
  if (second(stored) === second(later)) return 'equal';
  const isWhole = ({ eventTimeMs }: Report) => eventTimeMs % SECOND_MS === 0;
  if (isWhole(stored) && isWhole(later)) return 'far';
  return Math.abs(stored.eventTimeMs - later.eventTimeMs) <= NEAR_MS ? 'near' : 'far';
}

/** While a response is streamed its output grows, but its input does not. */
function hasSameInput(stored: Report, later: Report): boolean {
  return readTokens(stored).totalInput.eq(readTokens(later).totalInput);
}

/**
 * Compares number by number if the later report has every number of the stored usage object. Otherwise the reports
 * are from different sources, and their priced quantities are compared class by class.
 */
function growthBetween(stored: Report, later: Report): Growth {
  const counts = growthOfCounts(stored, later);
  const served = growthOfContext(contextOf(stored), contextOf(later));
  if (counts === 'other' || served === 'other') return 'other';
  return counts === 'larger' || served === 'larger' ? 'larger' : 'same';
}

type Growth = 'same' | 'larger' | 'other';

/** A pair that only the stored report has is kept, whatever the later one says. */
function growthOfContext(before: string, after: string): Growth {
  const pairs = contextPairs(before);
  const added = contextPairs(after).filter((pair) => !pairs.includes(pair));
  const isOther = added.some((pair) => pairs.some((one) => keyOf(one) === keyOf(pair)));
  return isOther ? 'other' : added.length > 0 ? 'larger' : 'same';
}

/** How the call was served, as far as the report says: `tier=priority`, `geo=eu`. */
export function contextOf({ provider, model, providerUsage, metadata }: Report): string {
  return readPricingContext(usageSources(providerUsage, metadata), { provider, model });
}

function keyOf(pair: string): string {
  return pair.slice(0, pair.indexOf('='));
}

function growthOfCounts(stored: Report, later: Report): Growth {
  const [before, after] = [reportedNumbers(stored), reportedNumbers(later)];
  const isComparable = hasUsageObject(stored) && [...before].every(([name, count]) => count === 0 || after.has(name));
  if (!isComparable) {
    const growth = growthOfTokens(readTokens(stored), readTokens(later));
    return growth === 'same' && countsMoreTools(stored, later) ? 'larger' : growth;
  }
  const names = [...new Set([...before.keys(), ...after.keys()])];
  if (names.some((name) => (after.get(name) ?? 0) < (before.get(name) ?? 0))) return 'other';
  return names.some((name) => (after.get(name) ?? 0) > (before.get(name) ?? 0)) ? 'larger' : 'same';
}

function hasUsageObject({ providerUsage, metadata }: Report): boolean {
  return usageSources(providerUsage, metadata).length > 0;
}

const NO_UNITS = quantity(0);

/**
 * True if the later report counts more of something that is billed per use. Tools that only the stored report has are
 * kept.
 */
function countsMoreTools(stored: Report, later: Report): boolean {
  const holdersOf = ({ providerUsage, metadata }: Report) =>
    unitHolders(metadata, usageSources(providerUsage, metadata));
  const [before, after] = [holdersOf(stored), holdersOf(later)];
  return BILLED_UNITS.some((name) => billedUnitCount(name, after)?.gt(billedUnitCount(name, before) ?? NO_UNITS));
}

function growthOfTokens(before: TokenReading, after: TokenReading): Growth {
  const differences = TOKEN_CLASS_NAMES.map((name) => after.quantities[name].minus(before.quantities[name]));
  const isTotalEqual = after.totalInput.eq(before.totalInput) && after.totalOutput.eq(before.totalOutput);
  if (isTotalEqual && (differences.every((one) => one.isZero()) || isPlain(after) || !isPricedApart(before, after)))
    return 'same';
  // Details of the same totals, such as the cached part of the input.
  if (isTotalEqual && isPlain(before)) return 'larger';
  return differences.some((one) => one.isNegative() && !one.isZero()) ? 'other' : 'larger';
}

/** True unless the reports only differ in the part of the output that was used for reasoning. */
function isPricedApart({ quantities: before }: TokenReading, { quantities: after }: TokenReading): boolean {
  return TOKEN_CLASS_NAMES.some((name) => !['output', 'reasoning'].includes(name) && !after[name].eq(before[name]));
}

/** True if only input and output are reported: the same call in less detail. */
function isPlain({ quantities, totalInput, totalOutput }: TokenReading): boolean {
  return quantities.input.eq(totalInput) && quantities.output.eq(totalOutput);
}
