/** Series as the graph gives them, made for tests: days from a first one on, without gaps. */
import type { SeriesDay } from '../../../../subgraphs/alerting/detection/daily-series.ts';

const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2026, 0, 5);

/** The day of an index: the 0th is Monday, 5 January 2026. */
export const dayOf = (index: number) => new Date(FIRST + index * DAY_MS).toISOString().slice(0, 10);

export interface PlainDay {
  cost: number;
  events?: number;
  tokens?: number;
}

export function seriesOf(days: number, of: (index: number) => number | PlainDay): SeriesDay[] {
  return Array.from({ length: days }, (_, index) => {
    const value = of(index);
    const { cost, events = 1_000, tokens = 1_000_000 } = typeof value === 'number' ? { cost: value } : value;
    return { day: dayOf(index), cost: cost.toFixed(6), events, tokens };
  });
}

/** A generator of the same noise in every run: factors around 1, at most `by` away. */
export function noiseOf(seed: number, by: number) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return 1 + by * ((2 * state) / 2_147_483_648 - 1);
  };
}
