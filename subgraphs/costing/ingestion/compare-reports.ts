/**
 * Decides whether a report under a known key repeats the stored one, adds to the same call, or is about another call
 * (decision 76).
 */
import { MINUTE_MS } from '#kernel/time/duration.ts';
import { TOKEN_CLASS_NAMES } from '#schema/token-classes.ts';
import { isIncomplete } from '#usage/counts/incomplete.ts';
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
function growthBetween(stored: Report, later: Report): 'same' | 'larger' | 'other' {
  const [before, after] = [reportedNumbers(stored), reportedNumbers(later)];
  const isComparable = hasUsageObject(stored) && [...before].every(([name, count]) => count === 0 || after.has(name));
  if (!isComparable) return growthOfTokens(readTokens(stored), readTokens(later));
  const names = [...new Set([...before.keys(), ...after.keys()])];
  if (names.some((name) => (after.get(name) ?? 0) < (before.get(name) ?? 0))) return 'other';
  return names.some((name) => (after.get(name) ?? 0) > (before.get(name) ?? 0)) ? 'larger' : 'same';
}

function hasUsageObject({ providerUsage, metadata }: Report): boolean {
  return usageSources(providerUsage, metadata).length > 0;
}

function growthOfTokens(before: TokenReading, after: TokenReading): 'same' | 'larger' | 'other' {
  const differences = TOKEN_CLASS_NAMES.map((name) => after.quantities[name].minus(before.quantities[name]));
  const isTotalEqual = after.totalInput.eq(before.totalInput) && after.totalOutput.eq(before.totalOutput);
  if (isTotalEqual && (differences.every((one) => one.isZero()) || isPlain(before) || isPlain(after))) return 'same';
  return differences.some((one) => one.isNegative() && !one.isZero()) ? 'other' : 'larger';
}

/** True if only input and output are reported: the same call in less detail. */
function isPlain({ quantities, totalInput, totalOutput }: TokenReading): boolean {
  return quantities.input.eq(totalInput) && quantities.output.eq(totalOutput);
}
