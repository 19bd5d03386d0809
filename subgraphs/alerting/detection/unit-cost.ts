/**
 * `UNIT_COST`: an event, or a thousand tokens, costs far more on a settled day than on days like it. Both are judged; the louder one is the
 * verdict. A dearer price or a lost cache raises both, a longer prompt the cost of an event alone.
 */
import { costsPerEvent, costsPerThousandTokens, type SeriesDay } from './daily-series.ts';
import { type DayValue, judgeUnusualDay, type UnusualDay, type UnusualDayMemory } from './unusual-day.ts';
import {
  type DetectedFigure,
  type DetectedState,
  type DetectedUnit,
  estimate,
  exact,
  type Verdict,
} from './verdict.ts';

export interface UnitCostMemory {
  readonly perEvent: UnusualDayMemory;
  readonly perThousandTokens: UnusualDayMemory;
}

export interface UnitCostInput {
  /** As of an anomaly. */
  readonly series: readonly SeriesDay[];
  readonly day: string;
  /** USD that the day's units must have cost more than they usually do: a ratio of little money is not worth a word. */
  readonly floor: string;
}

const LOUDEST_FIRST: readonly DetectedState[] = ['FIRING', 'PENDING', 'OK', 'LEARNING'];

/** The floor is compared with an estimate, in doubles. */
export function judgeUnitCost(
  { series, day, floor }: UnitCostInput,
  previous: UnitCostMemory | null,
): Verdict<UnitCostMemory> {
  const today = series.find((point) => point.day === day);
  const judge = (values: readonly DayValue[], units: number, memory: UnusualDayMemory | undefined) =>
    judgeUnusualDay(values, day, memory ?? null, (difference) => difference * units > Number(floor));
  const perEvent = judge(costsPerEvent(series), today?.events ?? 0, previous?.perEvent);
  const perThousandTokens = judge(
    costsPerThousandTokens(series),
    (today?.tokens ?? 0) / 1_000,
    previous?.perThousandTokens,
  );
  const both = [perEvent, perThousandTokens];
  const states = both.map(({ memory }) => memory.state);
  const state = LOUDEST_FIRST.find((each) => states.includes(each)) ?? 'LEARNING';
  const ends = both.flatMap(({ end }) => end ?? []);
  return {
    state,
    memory: { perEvent: perEvent.memory, perThousandTokens: perThousandTokens.memory },
    // While one of them still fires nothing has ended.
    end: state === 'FIRING' ? null : (ends[0] ?? null),
    figures: [
      exact('cost', today?.cost ?? '0', 'usd'),
      exact('events', String(today?.events ?? 0), 'count'),
      ...figuresOf('event', 'usd_per_event', perEvent.usual),
      ...figuresOf('thousand_tokens', 'usd_per_thousand_tokens', perThousandTokens.usual),
    ],
  };
}

function figuresOf(name: string, unit: DetectedUnit, usual: UnusualDay['usual']): DetectedFigure[] {
  if (usual === null) return [];
  return [
    estimate(`per_${name}`, usual.m * (1 + usual.rel), unit),
    estimate(`usual_per_${name}`, usual.m, unit),
    estimate(`more_per_${name}`, 100 * usual.rel, 'percent'),
  ];
}
