/** A series by settled UTC days, as the graph gives it, and the two readings of it that are judged: cost a day, and cost of a unit. */
import type { DayValue } from './unusual-day.ts';

export interface SeriesDay {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** USD, exact text. */
  readonly cost: string;
  /** Completed events. */
  readonly events: number;
  /** Of all classes; null where the graph does not say. */
  readonly tokens: number | null;
}

/** Fewer events make no average: their cost of a unit says nothing of the day. */
const UNIT_EVENTS_MIN = 20;
/** The same of tokens, for their cost by the thousand. */
const UNIT_TOKENS_MIN = 20_000;

/** Costs from the first day with any event or cost on: before it there was no series. In doubles, for statistics. */
export function dailyCosts(series: readonly SeriesDay[]): DayValue[] {
  return sinceFirst(series).map(({ day, cost }) => ({ day, value: Number(cost) }));
}

/** USD for an event; null for a day of few events. */
export function costsPerEvent(series: readonly SeriesDay[]): DayValue[] {
  return sinceFirst(series).map(({ day, cost, events }) => ({
    day,
    value: events >= UNIT_EVENTS_MIN ? Number(cost) / events : null,
  }));
}

/** USD for a thousand tokens; null for a day of few tokens, or where the graph does not say how many. */
export function costsPerThousandTokens(series: readonly SeriesDay[]): DayValue[] {
  return sinceFirst(series).map(({ day, cost, tokens }) => ({
    day,
    value: tokens !== null && tokens >= UNIT_TOKENS_MIN ? (1_000 * Number(cost)) / tokens : null,
  }));
}

function sinceFirst(series: readonly SeriesDay[]): readonly SeriesDay[] {
  const first = series.findIndex(({ cost, events }) => events > 0 || Number(cost) !== 0);
  return first < 0 ? [] : series.slice(first);
}
