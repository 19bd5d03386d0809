/** Divides a span into whole UTC hours, which counters answer, and the broken hours at its ends, which events answer. */
import { compareInstants } from './instant.ts';

/** Instants as ISO 8601 text. The broken ends are `[start, from)` and `[to, end)`; all three parts may be empty. */
export interface WholeHours {
  readonly from: string;
  readonly to: string;
}

const HOUR_MS = 3_600_000;
const ON_THE_HOUR = /:00:00\.0+Z$/;

/** Takes UTC with three or six digits of fraction. A span within one hour is all broken: `from` and `to` are its end. */
export function wholeHours(start: string, end: string): WholeHours {
  const from = earlier(hourAfter(start), end);
  const to = hourBefore(end);
  return { from, to: compareInstants(to, from) < 0 ? from : to };
}

function hourBefore(instant: string): string {
  return `${instant.slice(0, 13)}:00:00.000Z`;
}

function hourAfter(instant: string): string {
  return ON_THE_HOUR.test(instant) ? instant : new Date(Date.parse(hourBefore(instant)) + HOUR_MS).toISOString();
}

function earlier(one: string, other: string): string {
  return compareInstants(one, other) <= 0 ? one : other;
}
