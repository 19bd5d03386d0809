/** Summarizes the actual or possible changes of a repricing. */
import { type Money, sum } from '#kernel/money.ts';
import type { Correction, RepricedDay } from './corrections.step.ts';

export interface Repricing {
  /** Null for a dry run. */
  readonly repricingId: string | null;
  readonly events: number;
  readonly difference: Money;
  readonly byModel: RepricedDay[];
  /** For a dry run: events without a price at current rates, which keep their cost. */
  readonly keptEvents: number | null;
}

export function repricingOf(
  repricingId: string | null,
  byModel: RepricedDay[],
  keptEvents: number | null = null,
): Repricing {
  return {
    repricingId,
    keptEvents,
    byModel,
    events: byModel.reduce((total, { events }) => total + events, 0),
    difference: sum(byModel.map(({ difference }) => difference)),
  };
}

/** One row for each correction. */
export function changesOf(corrections: readonly Correction[]): RepricedDay[] {
  return corrections.map(({ standing, parts }) => ({
    modelSlug: standing.modelSlug,
    day: standing.event.eventTime.slice(0, 10),
    events: 1,
    difference: parts.total,
  }));
}

/** One row for each model and day, sorted by these. */
export function sumByModelAndDay(rows: readonly RepricedDay[]): RepricedDay[] {
  const groups = Map.groupBy(rows, ({ modelSlug, day }) => `${modelSlug}\0${day}`);
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, ofOne]) => {
      const [first] = ofOne;
      return first
        ? [
            {
              modelSlug: first.modelSlug,
              day: first.day,
              events: ofOne.reduce((total, { events }) => total + events, 0),
              difference: sum(ofOne.map(({ difference }) => difference)),
            },
          ]
        : [];
    });
}
