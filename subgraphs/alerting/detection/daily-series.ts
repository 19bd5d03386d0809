/**
 * A series of settled UTC days as the graph returns it, and the two figures that are judged: daily cost and unit cost.
 */
import { approximate } from '#kernel/money.ts';
import type { DayValue } from './unusual-day.ts';

export interface SeriesDay {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** USD, as exact text. */
  readonly cost: string;
  /** Completed events. */
  readonly events: number;
  /** Tokens of all classes; null if the graph does not return them. */
  readonly tokens: number | null;
}

/** With fewer events the average is not meaningful: such a day has no unit cost. */
const UNIT_EVENTS_MIN = 20;
/** With fewer tokens the cost per thousand tokens is not meaningful. */
const UNIT_TOKENS_MIN = 20_000;

/** Daily costs from the first day with an event or cost; the series does not exist before. Doubles, for statistics. */
export function dailyCosts(series: readonly SeriesDay[]): DayValue[] {
  return sinceFirst(series).map(({ day, cost }) => ({ day, value: approximate(cost) }));
}

/** USD per event; null for a day with few events. */
export function costsPerEvent(series: readonly SeriesDay[]): DayValue[] {
  return sinceFirst(series).map(({ day, cost, events }) => ({
    day,
    value: events >= UNIT_EVENTS_MIN ? approximate(cost) / events : null,
  }));
}

/** USD per thousand tokens; null for a day with few or unknown tokens. */
export function costsPerThousandTokens(series: readonly SeriesDay[]): DayValue[] {
  return sinceFirst(series).map(({ day, cost, tokens }) => ({
    day,
    value: tokens !== null && tokens >= UNIT_TOKENS_MIN ? (1_000 * approximate(cost)) / tokens : null,
  }));
}

function sinceFirst(series: readonly SeriesDay[]): readonly SeriesDay[] {
  const first = series.findIndex(({ cost, events }) => events > 0 || approximate(cost) !== 0);
  return first < 0 ? [] : series.slice(first);
}
