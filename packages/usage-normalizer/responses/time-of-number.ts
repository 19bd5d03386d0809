/** Reads times that are sent as numbers. */

/** The year 5138 in seconds, March 1973 in milliseconds. */
const MILLISECONDS_MIN = 100_000_000_000;
/** The year 10000. */
const MILLISECONDS_END = 253_402_300_800_000;

/**
 * Seconds or milliseconds since 1970, as ISO 8601. A number that cannot be a time is returned as text, so that the event
 * is rejected. Null for 0, which many servers send instead of a time, and for anything that is not a number.
 */
export function timeOfNumber(value: unknown): string | null {
  if (typeof value !== 'number' || value === 0) return null;
  const milliseconds = value < MILLISECONDS_MIN ? value * 1000 : value;
  const isTime = milliseconds > 0 && milliseconds < MILLISECONDS_END;
  return isTime ? new Date(milliseconds).toISOString() : String(value);
}
