/** `ANOMALY`: a settled day that costs far more than comparable days. */
import { approximate } from '#kernel/money.ts';
import { dailyCosts, type SeriesDay } from './daily-series.ts';
import { judgeUnusualDay, type UnusualDayMemory } from './unusual-day.ts';
import { estimate, exact, type Verdict } from './verdict.ts';

export type AnomalyMemory = UnusualDayMemory;

export interface AnomalyInput {
  /** Settled days, ascending and without gaps: `HISTORY_DAYS` before `day`, and `day`. Later days are ignored. */
  readonly series: readonly SeriesDay[];
  /** The day to judge, `YYYY-MM-DD`. */
  readonly day: string;
  /** USD by which a day must exceed the usual cost to be reported. */
  readonly floor: string;
}

/** Uses doubles: the floor is compared with a difference from a median, which is an estimate. */
export function judgeAnomaly(
  { series, day, floor }: AnomalyInput,
  previous: AnomalyMemory | null,
): Verdict<AnomalyMemory> {
  const { memory, end, usual } = judgeUnusualDay(
    dailyCosts(series),
    day,
    previous,
    (difference) => difference > approximate(floor),
  );
  const cost = series.find((point) => point.day === day)?.cost ?? '0';
  const figures = [
    exact('cost', cost, 'usd'),
    estimate('usual', usual && usual.m, 'usd'),
    estimate('more', usual && 100 * usual.rel, 'percent'),
    estimate('z', usual && usual.z, 'sigma'),
  ];
  return { state: memory.state, memory, end, figures: usual === null ? figures.slice(0, 1) : figures };
}
