import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnomalyMemory, judgeAnomaly } from '../../../../subgraphs/alerting/detection/anomaly.ts';
import type { SeriesDay } from '../../../../subgraphs/alerting/detection/daily-series.ts';
import { judgeUnitCost, type UnitCostMemory } from '../../../../subgraphs/alerting/detection/unit-cost.ts';
import { HISTORY_DAYS } from '../../../../subgraphs/alerting/detection/unusual-day.ts';
import { dayOf, noiseOf, type PlainDay, seriesOf } from './series.ts';

/**
 * Evaluates every day of a series as the rounds do, one day at a time, serializing and parsing the state in between.
 */
function states(series: readonly SeriesDay[], floor = '1') {
  let memory: AnomalyMemory | null = null;
  return series.map(({ day }) => {
    const verdict = judgeAnomaly({ series, day, floor }, memory);
    memory = JSON.parse(JSON.stringify(verdict.memory)) as AnomalyMemory;
    return verdict.end === null ? verdict.state : verdict.end;
  });
}
const firing = (all: readonly string[]) => all.flatMap((state, index) => (state === 'FIRING' ? [index] : []));
/** Weekdays of 100, weekends of 40, and ten percent noise. */
const usual = (noise = noiseOf(7, 0.1)) => {
  const factors = Array.from({ length: 400 }, noise);
  return (index: number) => (index % 7 < 5 ? 100 : 40) * factors[index]!;
};

describe('an anomaly of daily costs', () => {
  it('is not reported in the first 21 days, which are for learning, whatever happens in them', () => {
    const all = states(seriesOf(30, (index) => (index === 20 ? 5_000 : 100)));
    expect(all.slice(0, 21)).toEqual(Array(21).fill('LEARNING'));
    expect(all.slice(21)).toEqual(Array(9).fill('OK'));
  });

  it('does not count the days before the first cost as days of learning', () => {
    const all = states(seriesOf(60, (index) => (index < 40 ? { cost: 0, events: 0 } : 100 * (index - 39))));
    expect(new Set(all)).toEqual(new Set(['LEARNING']));
  });

  it('stays quiet over a year of weekdays, weekends and noise', () => {
    expect(firing(states(seriesOf(365, usual())))).toEqual([]);
  });

  it('fires on the second day of a doubled price, which is normal after three weeks', () => {
    const of = usual();
    const all = states(seriesOf(120, (index) => of(index) * (index >= 60 ? 2 : 1)));
    expect(all[60]).toBe('PENDING');
    expect(firing(all)).toEqual(Array.from({ length: 19 }, (_, index) => 61 + index));
    expect(all[80]).toBe('ACCEPTED');
    expect(new Set(all.slice(81))).toEqual(new Set(['OK']));
  });

  it('fires on the second day of a doubled price, and treats the new price as normal after three weeks', () => {
    const of = usual();
    const all = states(seriesOf(90, (index) => of(index) * ([60, 61].includes(index) ? 4 : 1)));
    expect(all.slice(59, 66)).toEqual(['OK', 'FIRING', 'FIRING', 'FIRING', 'RECOVERED', 'OK', 'OK']);
  });

  it('treats a single day of twice the cost as pending, and then drops it', () => {
    const of = usual();
    const all = states(seriesOf(90, (index) => of(index) * (index === 60 ? 2 : 1)));
    expect(all.slice(59, 62)).toEqual(['OK', 'PENDING', 'OK']);
    expect(firing(all)).toEqual([]);
  });

  it('depends on the weekday: a weekend that costs as much as a weekday is unusual, and one like every Sunday is not', () => {
    expect(states(seriesOf(90, (index) => (index === 61 || index === 62 ? 100 : usual()(index))))[62]).toBe('FIRING');
    expect(firing(states(seriesOf(200, (index) => (index % 7 === 6 ? 300 : 0))))).toEqual([]);
  });

  it('needs a difference above the minimum', () => {
    const series = seriesOf(90, (index) => (index >= 60 ? 0.09 : 0.01));
    expect(firing(states(series, '1'))).toEqual([]);
    expect(firing(states(series, '0.05'))[0]).toBe(60);
  });

  it('does not fire for a series with costs on some days only', () => {
    const noise = noiseOf(3, 0.3);
    const active = Array.from({ length: 200 }, (_, index) =>
      (index * 7 + (index % 5) * 3) % 10 < 3 ? 50 * noise() : 0,
    );
    expect(firing(states(seriesOf(200, (index) => active[index]!)))).toEqual([]);
  });

  it('says what it compared', () => {
    const series = seriesOf(61, (index) => (index === 60 ? 400 : 100));
    const before = judgeAnomaly({ series, day: dayOf(59), floor: '1' }, null);
    const { state, figures } = judgeAnomaly({ series, day: dayOf(60), floor: '1' }, before.memory);
    expect(state).toBe('FIRING');
    expect(figures).toEqual([
      { name: 'cost', value: '400.000000', unit: 'usd' },
      { name: 'usual', value: '100', unit: 'usd' },
      { name: 'more', value: '300', unit: 'percent' },
      { name: 'z', value: '100', unit: 'sigma' },
    ]);
  });

  // A run evaluates a hundred days, so thirty runs are three thousand verdicts.
  const RUNS = { numRuns: 30 };
  const history = fc.array(
    fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 0, max: 300 }) }, fc.integer({ min: 0, max: 5_000 })),
    {
      minLength: 30,
      maxLength: 100,
    },
  );

  it('evaluates a day once: evaluating it again, or an earlier one, changes nothing', () => {
    fc.assert(
      fc.property(history, fc.nat(), (costs, pick) => {
        const series = seriesOf(costs.length, (index) => costs[index]!);
        let memory: AnomalyMemory | null = null;
        for (const { day } of series) memory = judgeAnomaly({ series, day, floor: '1' }, memory).memory;
        const again = judgeAnomaly({ series, day: dayOf(pick % costs.length), floor: '1' }, memory);
        expect(again.memory).toEqual(memory);
        expect(again.end).toBeNull();
      }),
      RUNS,
    );
  });

  it('uses no day after the evaluated one and none before its history begins', () => {
    fc.assert(
      fc.property(history, fc.nat(), (costs, pick) => {
        const at = pick % costs.length;
        const series = seriesOf(costs.length, (index) => costs[index]! + 1);
        const cut = series.slice(Math.max(0, at - HISTORY_DAYS), at + 1);
        const day = dayOf(at);
        expect(judgeAnomaly({ series: cut, day, floor: '1' }, null)).toEqual(
          judgeAnomaly({ series, day, floor: '1' }, null),
        );
      }),
      RUNS,
    );
  });

  it('never fires without a pending day before it or a day of three times the cost, and ends only if it fired', () => {
    fc.assert(
      fc.property(history, (costs) => {
        const all: string[] = states(seriesOf(costs.length, (index) => costs[index]!));
        all.forEach((state, index) => {
          const before = all[index - 1];
          if (state === 'RECOVERED' || state === 'ACCEPTED') expect(before).toBe('FIRING');
          if (before === 'FIRING') expect(['FIRING', 'RECOVERED', 'ACCEPTED']).toContain(state);
        });
      }),
      RUNS,
    );
  });

  it('does not depend on the currency: multiplying all costs and the minimum by a thousand changes nothing', () => {
    fc.assert(
      fc.property(history, (costs) => {
        const small = states(
          seriesOf(costs.length, (index) => costs[index]!),
          '1',
        );
        expect(
          states(
            seriesOf(costs.length, (index) => costs[index]! * 1_024),
            '1024',
          ),
        ).toEqual(small);
      }),
      RUNS,
    );
  });
});

describe('an anomaly of the cost of a unit', () => {
  function unitStates(
    series: readonly SeriesDay[],
    floor = '1',
    metric: 'COST_PER_EVENT' | 'COST_PER_THOUSAND_TOKENS' = 'COST_PER_EVENT',
  ) {
    let memory: UnitCostMemory | null = null;
    return series.map(({ day }) => {
      const verdict = judgeUnitCost({ series, day, floor, metric }, memory);
      memory = JSON.parse(JSON.stringify(verdict.memory)) as UnitCostMemory;
      return verdict.end ?? verdict.state;
    });
  }
  const factors = Array.from({ length: 400 }, noiseOf(11, 0.6));
  /** Event counts that vary by more than half, each event at 2 cents and a thousand tokens. */
  const of = (index: number, { price = 1, length = 1 } = {}): PlainDay => {
    const events = Math.round(2_000 * factors[index]!);
    return { cost: events * 0.02 * price * length, events, tokens: events * 1_000 * length };
  };

  it('does not fire if there was more usage', () => {
    expect(firing(unitStates(seriesOf(200, (index) => of(index))))).toEqual([]);
  });

  it('is found on the second day of a price increase by half', () => {
    const all = unitStates(seriesOf(90, (index) => of(index, { price: index >= 60 ? 1.5 : 1 })));
    expect(all.slice(59, 62)).toEqual(['OK', 'PENDING', 'FIRING']);
  });

  it('is found in the cost per event, but not in the cost per token, if prompts grow', () => {
    const series = seriesOf(62, (index) => of(index, { length: index >= 60 ? 2 : 1 }));
    expect(unitStates(series)[61]).toBe('FIRING');
    expect(unitStates(series, '1', 'COST_PER_THOUSAND_TOKENS')[61]).toBe('OK');
    const { figures } = judgeUnitCost({ series, day: dayOf(61), floor: '1', metric: 'COST_PER_EVENT' }, null);
    expect(figures.slice(2)).toEqual([
      { name: 'unit_cost', value: '0.04', unit: 'usd_per_event' },
      { name: 'usual', value: '0.02', unit: 'usd_per_event' },
      { name: 'more', value: '100', unit: 'percent' },
      { name: 'z', value: '33.333333', unit: 'sigma' },
    ]);
  });

  it('needs twenty events, and a noticeable amount of money', () => {
    const few = (index: number) => ({ cost: index >= 60 ? 10 : 0.1, events: 19, tokens: 1_000 });
    expect(new Set(unitStates(seriesOf(90, few)))).toEqual(new Set(['LEARNING']));
    expect(
      firing(
        unitStates(
          seriesOf(90, (index) => of(index, { price: index >= 60 ? 2 : 1 })),
          '1000',
        ),
      ),
    ).toEqual([]);
  });

  it('skips days without enough events: a weekend does not clear a Friday', () => {
    const all = unitStates(
      seriesOf(90, (index) =>
        index % 7 < 5 ? of(index, { price: index >= 60 ? 2 : 1 }) : { cost: 0, events: 0, tokens: 0 },
      ),
    );
    // Day 60 is a Friday.
    expect(all.slice(60, 64)).toEqual(['PENDING', 'PENDING', 'PENDING', 'FIRING']);
  });

  it('says nothing about tokens if the graph does not provide them', () => {
    const of = (tokens: number | null) => seriesOf(90, () => ({ cost: 1 })).map((day) => ({ ...day, tokens }));
    expect(new Set(unitStates(of(null), '1', 'COST_PER_THOUSAND_TOKENS'))).toEqual(new Set(['LEARNING']));
    expect(unitStates(of(20_000), '1', 'COST_PER_THOUSAND_TOKENS')[89]).toBe('OK');
  });
});
