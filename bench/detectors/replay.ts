/**
 * Evaluates a daily series one day at a time, as the alert rounds do, next to a raw threshold that a person would have
 * set.
 */
import { DAY_MS } from '#kernel/time/duration.ts';
import { type AnomalyMemory, judgeAnomaly } from '../../subgraphs/alerting/detection/anomaly.ts';
import type { SeriesDay } from '../../subgraphs/alerting/detection/daily-series.ts';

export interface Replay {
  /** Days with a report. */
  readonly reported: readonly number[];
  /** Number of days that could have had a report. */
  readonly judged: number;
}

/** Initial days that every rule may learn from. */
export const LEARNING = 21;
/** A person sets a threshold a third above the costliest day of the first weeks. */
const THRESHOLD_TIMES = 1.3;
/** A Monday. */
const FIRST_DAY = Date.UTC(2024, 0, 1);

/** One report for each episode that opens. */
export function replayEpisodes(costs: readonly number[], floor = 0): Replay {
  const series = costs.map((cost, index): SeriesDay => ({
    day: dayOf(index),
    cost: String(cost),
    events: 1,
    tokens: null,
  }));
  let memory: AnomalyMemory | null = null;
  const reported: number[] = [];
  series.forEach(({ day }, index) => {
    const before = memory?.state;
    // A round sees only the days up to the evaluated one.
    const verdict = judgeAnomaly(
      { series: series.slice(Math.max(0, index - 90), index + 1), day, floor: String(floor) },
      memory,
    );
    memory = verdict.memory;
    if (verdict.state === 'FIRING' && before !== 'FIRING') reported.push(index);
  });
  return { reported, judged: Math.max(0, costs.length - LEARNING) };
}

/** One report for each day above the threshold. */
export function replayThreshold(costs: readonly number[]): Replay {
  const threshold = THRESHOLD_TIMES * Math.max(...costs.slice(0, LEARNING));
  const reported = costs.flatMap((cost, index) => (index >= LEARNING && cost > threshold ? [index] : []));
  return { reported, judged: Math.max(0, costs.length - LEARNING) };
}

function dayOf(index: number): string {
  return new Date(FIRST_DAY + index * DAY_MS).toISOString().slice(0, 10);
}
