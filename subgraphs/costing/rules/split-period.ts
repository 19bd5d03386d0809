/** Divides a span of time into whole UTC hours, which have counters, and what is left of it at both ends. */

export interface SplitPeriod {
  /** As given. */
  readonly start: string;
  readonly end: string;
  /** The whole hours lie in [wholeFrom, wholeTo). */
  readonly wholeFrom: string;
  readonly wholeTo: string;
  /** The edges are [start, edgeTo) and [wholeTo, end): a span inside one hour has no whole hour and one edge. */
  readonly edgeTo: string;
}

const HOUR_MS = 3_600_000;

/** ISO 8601 texts, UTC, of up to six fraction digits; `start` is not after `end`. */
export function splitPeriod(start: string, end: string): SplitPeriod {
  const startMs = Date.parse(start);
  const isAtHour = startMs % HOUR_MS === 0 && !hasMicroseconds(start);
  const wholeFromMs = isAtHour ? startMs : (Math.floor(startMs / HOUR_MS) + 1) * HOUR_MS;
  const wholeToMs = Math.floor(Date.parse(end) / HOUR_MS) * HOUR_MS;
  const hasWholeHours = wholeToMs >= wholeFromMs;
  const wholeFrom = new Date(wholeFromMs).toISOString();
  return {
    start, end, wholeFrom,
    wholeTo: hasWholeHours ? new Date(wholeToMs).toISOString() : end,
    edgeTo: hasWholeHours ? wholeFrom : end,
  };
}

/** Digits after the milliseconds, which `Date.parse` drops. */
function hasMicroseconds(text: string): boolean {
  return /\.\d{3}0*[1-9]/.test(text);
}
