/** Test series in the graph's format: consecutive days starting at a first one. */
import type { SeriesDay } from '../../../../subgraphs/alerting/detection/daily-series.ts';

const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2026, 0, 5);

/** The day with this index; index 0 is Monday, 5 January 2026. */
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

/** Seeded noise, the same in every run: factors that differ from 1 by at most `by`. */
export function noiseOf(seed: number, by: number) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return 1 + by * ((2 * state) / 2_147_483_648 - 1);
  };
}
