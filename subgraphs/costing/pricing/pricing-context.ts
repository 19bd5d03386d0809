/**
 * Everything besides model and tokens that decides a price, as a canonical text: `tier=batch`, `geo=us,speed=fast`;
 * empty for the standard price (decision 38).
 */
import { REGION_FIELDS, type ServedModel, servingRegion } from './serving-region.ts';
import type { UsageSource } from '#usage/counts/usage-sources.ts';
import { valueAt } from '#usage/counts/value-at.ts';

/** Fields in which an event reports how the call was served, and their standard values. */
const KEYS: readonly {
  readonly key: string;
  /** Paths of keys at which the field may be. */
  readonly places: readonly (readonly string[])[];
  readonly standard: ReadonlySet<string>;
  readonly means?: Readonly<Record<string, string>>;
}[] = [
  { key: 'latency', places: [['performanceConfig', 'latency']], standard: new Set(['standard']) },
  // Search context size: Perplexity's fee depends on it.
  { key: 'search', places: [['search_context_size']], standard: new Set() },
  { key: 'speed', places: [['speed']], standard: new Set(['standard', 'normal']) },
  {
    key: 'tier',
    places: [['service_tier'], ['serviceTier'], ['serviceTier', 'type'], ['trafficType'], ['traffic_type']],
    standard: new Set(['standard', 'default', 'on_demand', 'service_tier_unspecified', 'traffic_type_unspecified']),
    means: { on_demand_priority: 'priority', on_demand_flex: 'flex', provisioned_throughput: 'provisioned' },
  },
];

/** Every field that `readPricingContext` reads by its name. */
export const CONTEXT_FIELDS: readonly string[] = [
  ...new Set([...REGION_FIELDS, ...KEYS.flatMap(({ places }) => places.flatMap(([name]) => name ?? [])), 'batch']),
];

const VALUE = /^[a-z0-9_.-]{1,32}$/;

/**
 * Reads the context. Ambiguous names (`speed`, `batch`) are only read from a provider's usage, not from the caller's
 * own metadata.
 */
export function readPricingContext(sources: readonly UsageSource[], served: ServedModel = {}): string {
  const region = servingRegion(sources, served);
  if (sources.length === 0 && region === null) return '';
  const pairs: string[] = region === null ? [] : [region];
  for (const { key, places, standard, means } of KEYS) {
    const value = firstValue(sources, places);
    if (value === null || standard.has(value)) continue;
    pairs.push(`${key}=${means?.[value] ?? value}`);
  }
  if (!pairs.some((pair) => pair.startsWith('tier='))) {
    const tier = sources.some(({ fields }) => fields['batch'] === true) ? 'batch' : langchainTier(sources);
    if (tier !== undefined) pairs.push(`tier=${tier}`);
  }
  return joinContext(pairs);
}

/**
 * LangChain reports the service tier of a call in its counts: `input_token_details: { priority: 2000,
 * priority_cache_read: 8000 }`.
 */
function langchainTier(sources: readonly UsageSource[]): string | undefined {
  return ['priority', 'flex'].find((tier) =>
    sources.some(({ fields }) =>
      ['input_token_details', 'output_token_details'].some((name) => valueAt(fields, [name, tier]) !== undefined),
    ),
  );
}

function firstValue(sources: readonly UsageSource[], places: readonly (readonly string[])[]): string | null {
  for (const { fields } of sources) {
    for (const place of places) {
      const value = valueAt(fields, place);
      const text = typeof value === 'string' ? value.toLowerCase() : '';
      if (VALUE.test(text)) return text;
    }
  }
  return null;
}

/** Splits a context into its pairs; {@link joinContext} is the inverse. */
export function contextPairs(context: string): string[] {
  return context === '' ? [] : context.split(',');
}

/** Joins `key=value` pairs to the canonical text, sorted. */
export function joinContext(pairs: readonly string[]): string {
  return [...pairs].sort().join(',');
}

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const DAY = DAYS.join('|');
const HOURS = new RegExp(
  `^hours=(?:(${DAY})(?:-(${DAY}))?_)?([01]\\d|2[0-3])([0-5]\\d)-([01]\\d|2[0-4])([0-5]\\d)(?:@([A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+){0,2}))?$`,
);

interface Hours {
  /** Days on which the range begins; null: every day. */
  readonly days: ReadonlySet<number> | null;
  /** Minutes of the day. */
  readonly from: number;
  readonly to: number;
  /** Null: UTC. */
  readonly zone: string | null;
}

/** Cached by pair, since cards contain few distinct pairs. */
const parsedHours = new Map<string, Hours | null>();
const PARSED_MAX = 1_000;

/**
 * True if an instant lies in a half-open range of the day, which may cross midnight: `hours=0030-1630` in UTC,
 * `hours=mon-fri_0900-1800@Asia/Shanghai` on certain days in a time zone. A day is the one on which the range begins.
 */
export function isWithinHours(pair: string, atMs: number): boolean {
  if (!pair.startsWith('hours=')) return false;
  let hours = parsedHours.get(pair);
  if (hours === undefined) {
    if (parsedHours.size >= PARSED_MAX) parsedHours.clear();
    parsedHours.set(pair, (hours = parseHours(pair)));
  }
  if (hours === null) return false;
  const { days, from, to, zone } = hours;
  const { day, minute } = zone === null ? utcTime(atMs) : zonedTime(zone, atMs);
  const isFrom = (start: number) => days === null || days.has((start + 7) % 7);
  if (from < to) return minute >= from && minute < to && isFrom(day);
  return (minute >= from && isFrom(day)) || (minute < to && isFrom(day - 1));
}

/** Null for an invalid pair, or an unknown time zone. */
export function parseHours(pair: string): Hours | null {
  const match = HOURS.exec(pair);
  if (match === null) return null;
  const [, first, last = first, fromHour, fromMinute, toHour, toMinute, zone = null] = match;
  const [from, to] = [Number(fromHour) * 60 + Number(fromMinute), Number(toHour) * 60 + Number(toMinute)];
  if (from === to || to > DAY_MINUTES || (zone !== null && !isZone(zone))) return null;
  return { days: first === undefined ? null : daysBetween(DAYS.indexOf(first), DAYS.indexOf(last!)), from, to, zone };
}

const DAY_MINUTES = 1_440;

/** Days of a week, 0 is Monday; the range may continue after Sunday. */
function daysBetween(first: number, last: number): ReadonlySet<number> {
  const count = ((last - first + 7) % 7) + 1;
  return new Set(Array.from({ length: count }, (_, index) => (first + index) % 7));
}

interface TimeOfWeek {
  /** 0 is Monday. */
  readonly day: number;
  readonly minute: number;
}

/** 1970 began on a Thursday. */
function utcTime(atMs: number): TimeOfWeek {
  const minutes = Math.floor(atMs / 60_000);
  return { day: (Math.floor(minutes / DAY_MINUTES) + 3) % 7, minute: minutes % DAY_MINUTES };
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const options = { timeZone, hourCycle: 'h23', weekday: 'short', hour: '2-digit', minute: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en-US', options);
  formats.set(timeZone, format);
  return format;
}

function isZone(timeZone: string): boolean {
  try {
    return formatOf(timeZone) !== undefined;
  } catch {
    return false;
  }
}

function zonedTime(zone: string, atMs: number): TimeOfWeek {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  );
  return {
    day: DAYS.indexOf((parts['weekday'] ?? '').toLowerCase()),
    minute: Number(parts['hour']) * 60 + Number(parts['minute']),
  };
}
