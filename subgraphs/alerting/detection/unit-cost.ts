/**
 * `UNIT_COST`: an event, or a thousand tokens, costs far more on a settled day than on comparable days. A higher price
 * or a lost cache raises both; a longer prompt raises only the cost per event.
 */
import { approximate } from '#kernel/money.ts';
import { costsPerEvent, costsPerThousandTokens, type SeriesDay } from './daily-series.ts';
import { judgeUnusualDay, type UnusualDayMemory } from './unusual-day.ts';
import { estimate, exact, type Verdict } from './verdict.ts';

export type UnitCostMemory = UnusualDayMemory;

export interface UnitCostInput {
  /** Daily costs up to the judged day, as for `unusual-day.ts`. */
  readonly series: readonly SeriesDay[];
  readonly day: string;
  /** USD by which the day's units must exceed their usual cost: a high ratio of small amounts is not worth an alert. */
  readonly floor: string;
  readonly metric: 'COST_PER_EVENT' | 'COST_PER_THOUSAND_TOKENS';
}

/** Uses doubles: the floor is compared with an estimate. */
export function judgeUnitCost(
  { series, day, floor, metric }: UnitCostInput,
  previous: UnitCostMemory | null,
): Verdict<UnitCostMemory> {
  const today = series.find((point) => point.day === day);
  const isPerEvent = metric === 'COST_PER_EVENT';
  const units = isPerEvent ? (today?.events ?? 0) : (today?.tokens ?? 0) / 1_000;
  const unit = isPerEvent ? 'usd_per_event' : 'usd_per_thousand_tokens';
  const { memory, end, usual } = judgeUnusualDay(
    isPerEvent ? costsPerEvent(series) : costsPerThousandTokens(series),
    day,
    previous,
    (difference) => difference * units > approximate(floor),
  );
  const figures = [
    exact('cost', today?.cost ?? '0', 'usd'),
    exact('events', String(today?.events ?? 0), 'count'),
    estimate('unit_cost', units === 0 ? null : approximate(today?.cost ?? '0') / units, unit),
    ...(usual === null
      ? []
      : [
          estimate('usual', usual.m, unit),
          estimate('more', 100 * usual.rel, 'percent'),
          estimate('z', usual.z, 'sigma'),
        ]),
  ];
  return { state: memory.state, memory, end, figures };
}
