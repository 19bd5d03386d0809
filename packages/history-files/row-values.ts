/** Reads values of a row: a CSV file contains only text, a JSON file also numbers, objects and null. */
import type { Fields } from './history-row.ts';

/** The first of these columns that has a value. */
export function valueOf(row: Fields, ...names: readonly string[]): unknown {
  return names.map((name) => row[name]).find((value) => value !== undefined && value !== null && value !== '');
}

/** A text, or a number as text. Null without a value. */
export function textOf(row: Fields, ...names: readonly string[]): string | null {
  const value = valueOf(row, ...names);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;
}

/** A number as text, with all its digits. Null if the value is not a number. */
export function decimalOf(row: Fields, ...names: readonly string[]): string | null {
  const text = textOf(row, ...names);
  return text !== null && text.trim() !== '' && Number.isFinite(Number(text)) ? text.trim() : null;
}

/** A whole number, 0 or more. Undefined if the row does not have it, and unchanged if it cannot be read. */
export function countOf(row: Fields, ...names: readonly string[]): unknown {
  const value = valueOf(row, ...names);
  return typeof value === 'string' && /^\d{1,15}(?:\.0+)?$/.test(value) ? Number(value) : value;
}

/** True if a count is above 0. */
export function hasCount(counts: Fields): boolean {
  return Object.values(counts).some((count) => Number(count) > 0);
}

/** An object, including one written as JSON text. `{}` without one. */
export function objectOf(row: Fields, ...names: readonly string[]): Fields {
  const value = valueOf(row, ...names);
  return asObject(typeof value === 'string' ? parsed(value) : value);
}

/** Converts a time to ISO 8601; one without an offset is in UTC. Null without a valid time. */
export function instantOf(row: Fields, ...names: readonly string[]): string | null {
  const value = valueOf(row, ...names);
  if (typeof value === 'number') return isoOf(new Date(value < MILLISECONDS_MIN ? value * 1000 : value));
  const [, day, time = '00:00', offset = 'Z'] = (typeof value === 'string' && TIME.exec(value.trim())) || [];
  // JavaScript reads 30 February as 2 March.
  if (day === undefined || isoOf(new Date(`${day}T00:00:00Z`))?.startsWith(day) !== true) return null;
  return isoOf(new Date(`${day}T${time}${offset.replace(/^utc$/i, 'Z')}`));
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?)?$/i;

/** Numbers below are seconds since 1970, others milliseconds. */
const MILLISECONDS_MIN = 100_000_000_000;

function isoOf(date: Date): string | null {
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function asObject(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
