/** Counts of an event besides tokens: its `units`, and the named units that a card may price (searches). */
import { ONE, type Quantity } from '#kernel/money.ts';
import { INCOMPLETE } from './incomplete.ts';
import { USAGE_KEYS } from './provider-usage.ts';
import { amountOrNull, BILLED_UNIT_KEYS, billedUnitCount, isBilledUnit, unitHolders } from './billed-units.ts';
import { REPORTED_COUNT_KEYS } from './reported-counts.ts';
import { STATED_COST_KEYS } from './stated-cost.ts';
import { NO_INPUT, ONLY_TOTAL, UNREAD_COUNTS, UNSPLIT_WRITES } from './unread-counts.ts';
import type { UsageSource } from './usage-sources.ts';
import { valueAt } from './value-at.ts';

type Metadata = Readonly<Record<string, unknown>> | null | undefined;

/**
 * Metadata keys that a price may depend on. They are kept when metadata is dropped, so that an event can be repriced.
 * Does not include unit names that rate cards define themselves.
 */
export const PRICED_METADATA_KEYS: readonly string[] = [
  ...new Set([
    ...REPORTED_COUNT_KEYS,
    'units',
    ...BILLED_UNIT_KEYS,
    ...STATED_COST_KEYS,
    ...USAGE_KEYS,
    INCOMPLETE,
    UNREAD_COUNTS,
    ONLY_TOTAL,
    NO_INPUT,
    UNSPLIT_WRITES,
  ]),
];

/**
 * The event's `units` (the top level takes precedence over metadata, decision 9, D5): a number or a decimal string, 0
 * or more, as accepted by `parse-amount.ts`. Null if not reported or not a count. A per-unit card then cannot price
 * the event; 1 is never assumed.
 */
export function readUnits(units: unknown, metadata: Metadata): Quantity | null {
  return amountOrNull(units) ?? amountOrNull(valueAt(metadata, ['units']));
}

/** Time units and their length in seconds. An event may state the unit of its `units`. */
const SECONDS: Readonly<Record<string, number>> = {
  second: 1,
  seconds: 1,
  audio_second: 1,
  audio_seconds: 1,
  minute: 60,
  minutes: 60,
  audio_minutes: 60,
  hour: 3_600,
  hours: 3_600,
  audio_hours: 3_600,
};
const HOUR_SECONDS = 3_600;
const OF_AN_HOUR = new Set(['audio_hours', 'input_audio_hours']);
/** Paths of audio durations in seconds: in providers' own objects, and under unambiguous names. */
const SECONDS_PATHS = [
  ['audio_seconds'],
  ['billable_audio_seconds'],
  ['prompt_audio_seconds'],
  ['duration', 'seconds'],
];
const PAGES_PLACES = [['pages_processed'], ['document_pages']];

type UnitReading =
  | { readonly kind: 'units'; readonly count: Quantity; readonly isGuess: boolean }
  | { readonly kind: 'none'; readonly reason: string };

/**
 * The number of a card's units in an event. `unitName` is the card's unit (`audio_hours`). A bare `units` counts the
 * card's own unit. If that is an hour, this is a guess: nobody writes one minute of speech as 0.0167.
 */
export function readCardUnits(
  unitName: string | null,
  units: unknown,
  metadata: Metadata,
  sources: readonly UsageSource[],
): UnitReading {
  const holders = [...sources.map(({ fields }) => fields), metadata];
  const amountAt = (places: readonly (readonly string[])[]) =>
    holders
      .flatMap((holder) => places.map((place) => amountOrNull(valueAt(holder, place))))
      .find((one) => one !== null);
  const isOfAnHour = unitName !== null && OF_AN_HOUR.has(unitName);
  if (isOfAnHour) {
    const seconds = amountAt(SECONDS_PATHS) ?? containerSeconds(sources);
    if (seconds) return { kind: 'units', count: seconds.div(HOUR_SECONDS), isGuess: false };
  }
  const pages = unitName === 'document_pages' ? amountAt(PAGES_PLACES) : undefined;
  if (pages) return { kind: 'units', count: pages, isGuess: false };
  const count =
    readUnits(units, metadata) ??
    (unitName === null ? null : billedUnitCount(unitName, unitHolders(metadata, sources)));
  if (count === null) {
    const means = isOfAnHour ? '; send audio_seconds, or units with unit' : '';
    return { kind: 'none', reason: `The model is priced per unit and the event has no units${means}` };
  }
  const named = holders.map((holder) => valueAt(holder, ['unit'])).find((one) => typeof one === 'string');
  if (named === undefined || !isOfAnHour) return { kind: 'units', count, isGuess: isOfAnHour };
  const seconds = Object.hasOwn(SECONDS, named) ? SECONDS[named] : undefined;
  if (seconds === undefined) {
    return { kind: 'none', reason: `unknown_unit: the model is priced per hour of audio, and unit is ${named}` };
  }
  return { kind: 'units', count: count.times(seconds).div(HOUR_SECONDS), isGuess: false };
}

/** `usage: { type: 'duration', seconds: 12 }` of a transcription. */
function containerSeconds(sources: readonly UsageSource[]): Quantity | undefined {
  const found = sources.find(({ fields, isContainer }) => isContainer && fields['type'] === 'duration');
  return amountOrNull(found?.fields['seconds']) ?? undefined;
}

/**
 * Counts of the named units in `names` (those the card prices): `metadata.web_searches`, `metadata.requests`, or the
 * vendor's own field (`server_tool_use.web_search_requests`), in metadata or in the provider's usage object. A name
 * that the event does not report is absent from the result and costs nothing, except `requests` of a response.
 */
export function readUnitCounts(
  names: readonly string[],
  metadata: Metadata,
  sources: readonly UsageSource[] = [],
): Record<string, Quantity> {
  if (names.length === 0) return {};
  const counts: [string, Quantity][] = [];
  const holders = unitHolders(metadata, sources);
  for (const name of names) {
    const count = isBilledUnit(name) ? billedUnitCount(name, holders) : namedCount(name, metadata, sources);
    if (count !== null) counts.push([name, count]);
    else if (name === REQUESTS && isResponse(sources)) counts.push([name, ONE]);
  }
  return counts.length === 0 ? NOTHING : Object.fromEntries(counts);
}

/** The count of a unit whose name a card defines itself. */
function namedCount(name: string, metadata: Metadata, sources: readonly UsageSource[]): Quantity | null {
  for (let index = 0; index <= sources.length; index++) {
    const holder = sources[index]?.fields ?? metadata;
    const count = amountOrNull(valueAt(holder, [name]));
    if (count !== null) return count;
  }
  return null;
}

const NOTHING: Record<string, Quantity> = {};
/** A fee per call. A provider's own usage object counts as one call unless the event reports another number. */
export const REQUESTS = 'requests';
function isResponse(sources: readonly UsageSource[]): boolean {
  const names = ['prompt_tokens', 'search_context_size'];
  return sources.some(({ fields, isContainer }) => isContainer || names.some((name) => Object.hasOwn(fields, name)));
}
