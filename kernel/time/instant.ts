/** Instants to the microsecond, in one form everywhere: ISO 8601, UTC, with milliseconds, or microseconds if given. */
import { fail } from '../errors.ts';
import { daysInMonth } from './calendar.ts';
import { DAY_MS, MINUTE_MS } from './duration.ts';

export interface Instant {
  /**
   * `2026-01-01T00:00:00.000Z`, or six fraction digits if the last three are not zero; further digits are truncated.
   */
  readonly iso: string;
  /** The same instant in whole milliseconds, rounded down. */
  readonly epochMs: number;
}

const TEXT_MAX = 64;
const MILLISECOND_LENGTH = '2026-01-31T12:00:00.000Z'.length;
const END_OF_TIME = Date.UTC(10_000, 0, 1);
const PRINTED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DIGIT_ZERO = 48;
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/;
const ISO_8601 = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/;

/**
 * A query's date (UTC midnight) or date-time (decision 9, D29): `2026-01-01`, `2026-01-01T00:00[:00[.123456]]`, then
 * nothing (UTC), `Z`, `±hh:mm`, `±hhmm` or `±hh`. `null` for other forms, impossible dates and instants outside 1970
 * to 9999.
 */
export function parseIso8601(text: string): Instant | null {
  if (text.length > TEXT_MAX) return null;
  const known = latest.get(text);
  if (known) return known;
  const instant = toInstant(ISO_8601.exec(text));
  if (latest.size >= LATEST_MAX) latest.clear();
  if (instant) latest.set(text, instant);
  return instant;
}

/**
 * The latest parsed instants: gateway and subgraph both parse a window, and the next request often has the same one.
 */
const latest = new Map<string, Instant>();
const LATEST_MAX = 100;

/** Parses the argument with this name. Fails with `VALIDATION_ERROR`. */
export function requireInstant(name: string, text: string): Instant {
  return parseIso8601(text) ?? fail('VALIDATION_ERROR', `${name} must be an ISO 8601 date or date-time`);
}

/**
 * A date-time with seconds and an offset or `Z` (RFC 3339). Returns `null` like `parseIso8601`. A leap second is the
 * second after it.
 */
export function parseRfc3339(text: string): Instant | null {
  if (PRINTED.test(text)) {
    const epochMs = epochOfPrinted(text);
    if (epochMs !== null) return { iso: text, epochMs };
  }
  return text.length > TEXT_MAX ? null : toInstant(RFC_3339.exec(text));
}

export function instantOf(date: Date): Instant {
  return { iso: date.toISOString(), epochMs: date.getTime() };
}

/** Microseconds since 1970, as bigint: a number would lose precision after the year 2255. */
export function microsOf({ iso, epochMs }: Instant): bigint {
  const micros = iso.length > MILLISECOND_LENGTH ? iso.slice(-4, -1) : 0;
  return BigInt(epochMs) * 1000n + BigInt(micros);
}

/** `micros` since 1970, 0 or more. */
export function instantAt(micros: bigint): Instant {
  const epochMs = Number(micros / 1000n);
  return { iso: isoOf(epochMs, String(micros % 1000n).padStart(3, '0')), epochMs };
}

/** Negative, zero or positive. (Comparing the texts with `<` is wrong within one millisecond.) */
export function compareInstants(one: Instant, other: Instant): number {
  const a = one.iso.slice(0, -1);
  const b = other.iso.slice(0, -1);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Converts a text with six fraction digits, as the database prints it, to the canonical form. */
export function canonicalInstant(text: string): string {
  return text.length > MILLISECOND_LENGTH && text.endsWith('000Z') ? `${text.slice(0, -4)}Z` : text;
}

/** Milliseconds, rounded down, of a canonical text with three or six fraction digits. */
export function millisecondsOfPrinted(iso: string): number {
  return epochOfPrinted(iso) ?? Date.parse(iso);
}

/** Truncated to the minute, as in page URLs: `2026-11-01T12:00Z`. */
export function minuteOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length)}Z`;
}

/**
 * Milliseconds of a text in the canonical form, which almost all events use. Null if it is not an instant or needs the
 * full parser.
 */
function epochOfPrinted(text: string): number | null {
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 2);
  const day = digitsAt(text, 8, 2);
  const [hour, minute, second] = [digitsAt(text, 11, 2), digitsAt(text, 14, 2), digitsAt(text, 17, 2)];
  if (year < 1970 || day < 1 || day > daysInMonth(year, month) || hour > 23 || minute > 59 || second > 59) return null;
  return Date.UTC(year, month - 1, day, hour, minute, second, digitsAt(text, 20, 3));
}

function digitsAt(text: string, start: number, count: number): number {
  let number = 0;
  for (let at = start; at < start + count; at++) number = number * 10 + text.charCodeAt(at) - DIGIT_ZERO;
  return number;
}

function toInstant(match: RegExpExecArray | null): Instant | null {
  if (!match) return null;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  const hour = Number(match[4] ?? 0);
  const minute = Number(match[5] ?? 0);
  const second = Number(match[6] ?? 0);
  if (year < 1969 || day < 1 || day > daysInMonth(year, month) || hour > 23 || minute > 59 || second > 60) return null;

  const offset = offsetMinutes(match[8]);
  if (offset === null) return null;
  const wholeSeconds = Date.UTC(year, month - 1, day, hour, minute, second) - offset * MINUTE_MS;
  if (second === 60 && !followsLeapSecond(new Date(wholeSeconds))) return null;

  const fraction = match[7] ?? '';
  const epochMs = wholeSeconds + Number(fraction.slice(0, 3).padEnd(3, '0'));
  if (epochMs < 0 || epochMs >= END_OF_TIME) return null;
  return { iso: isoOf(epochMs, fraction.slice(3, 6).padEnd(3, '0')), epochMs };
}

/** `micros`: the three digits after the milliseconds. */
function isoOf(epochMs: number, micros: string): string {
  const iso = new Date(epochMs).toISOString();
  return micros === '000' ? iso : `${iso.slice(0, -1)}${micros}Z`;
}

function offsetMinutes(text: string | undefined): number | null {
  if (text === undefined || text === 'Z' || text === 'z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = text.length > 3 ? Number(text.slice(-2)) : 0;
  if (hours > 23 || minutes > 59) return null;
  return text.startsWith('-') ? -(hours * 60 + minutes) : hours * 60 + minutes;
}

/** Leap seconds are inserted at the end of June and December, UTC. */
function followsLeapSecond(next: Date): boolean {
  const isMidnight = next.getTime() % DAY_MS === 0;
  return isMidnight && next.getUTCDate() === 1 && (next.getUTCMonth() === 0 || next.getUTCMonth() === 6);
}
