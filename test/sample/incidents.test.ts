/** The demo's incidents are found whatever its creation date, although each date has other events. */
import { expect, it } from 'vitest';
import { DAY_MS } from '#kernel/time/duration.ts';
import { eventsOfDay } from '../../sample/events-of-day.ts';
import { DAYS, historyBegan, historyDay } from '../../sample/history.ts';
import type { UsageEvent } from '../../sample/usage-event.ts';
import { type AnomalyMemory, judgeAnomaly } from '../../subgraphs/alerting/detection/anomaly.ts';
import type { SeriesDay } from '../../subgraphs/alerting/detection/daily-series.ts';
import { judgeUnitCost, type UnitCostMemory } from '../../subgraphs/alerting/detection/unit-cost.ts';

const DATES = Array.from({ length: 36 }, (_, index) => new Date(Date.UTC(2026, 10, 24) + index * 11 * DAY_MS));
const MONTHS = 3;
/** USD per million tokens of input, output, and cached input: accurate enough to evaluate days. */
const PRICES: Readonly<Record<string, readonly [number, number, number]>> = {
  'claude-sonnet-4-6': [3, 15, 0.3],
  'claude-haiku-4-5': [1, 5, 0.1],
  'gemini-2.5-pro': [1.25, 10, 0.125],
  'claude-fable-5': [10, 50, 1],
  'gpt-5.5-pro': [30, 180, 30],
  'o3-deep-research': [10, 40, 2.5],
  'mistral-medium-latest': [1.5, 7.5, 0.15],
  'gpt-5.4-mini': [0.75, 4.5, 0.075],
  'gpt-4.1-nano': [0.1, 0.4, 0.025],
};

function costOf({ model, cost_override, ...event }: UsageEvent): number {
  if (cost_override !== undefined) return Number(cost_override);
  const [input, output, cached] = PRICES[String(model)] ?? [0, 0, 0];
  const count = (name: string) => Number(event[name] ?? 0);
  const read = count('cache_read_input_tokens');
  return ((count('input_tokens') - read) * input + read * cached + count('output_tokens') * output) / 1e6;
}

/** All days except the day of creation. */
function settledDays(made: Date): SeriesDay[] {
  return Array.from({ length: DAYS - 1 }, (_, index) => {
    const { date, day } = historyDay(historyBegan(made), index);
    const events = eventsOfDay(date, day);
    const cost = events.reduce((sum, event) => sum + costOf(event), 0);
    return { day: date, cost: String(cost), events: events.length, tokens: null };
  });
}

/** Days before the last one on which an episode began, and whether an episode is open on the last day. */
function episodes<Memory extends { readonly state: string }>(
  series: readonly SeriesDay[],
  judge: (day: string, memory: Memory | null) => { readonly memory: Memory },
) {
  const began: string[] = [];
  let memory: Memory | null = null;
  for (const { day } of series) {
    const next: Memory = judge(day, memory).memory;
    if (next.state === 'FIRING' && memory?.state !== 'FIRING') began.push(day);
    memory = next;
  }
  return { before: began.filter((day) => day !== series.at(-1)!.day), isFound: memory?.state === 'FIRING' };
}

const histories = DATES.map(settledDays);

it('the day of retries costs far more, in total and per event', () => {
  const cost = histories.map((series) =>
    episodes<AnomalyMemory>(series, (day, memory) => judgeAnomaly({ series, day, floor: '1' }, memory)),
  );
  const unit = histories.map((series) =>
    episodes<UnitCostMemory>(series, (day, memory) =>
      judgeUnitCost({ series, day, floor: '1', metric: 'COST_PER_EVENT' }, memory),
    ),
  );
  for (const found of [cost, unit]) {
    expect(found.filter(({ isFound }) => !isFound)).toEqual([]);
    expect(found.flatMap(({ before }) => before).length).toBeLessThanOrEqual(DATES.length * MONTHS);
  }
});
