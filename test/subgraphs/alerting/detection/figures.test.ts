import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BudgetMemory, judgeBudget, passesAt } from '../../../../subgraphs/alerting/detection/budget.ts';
import { judgeCostPerSuccess } from '../../../../subgraphs/alerting/detection/cost-per-success.ts';
import {
  type CustomerMemory,
  judgeCostWithoutRevenue,
  judgeUnprofitable,
} from '../../../../subgraphs/alerting/detection/customer.ts';
import { judgeThreshold, type ThresholdMemory } from '../../../../subgraphs/alerting/detection/threshold.ts';
import { dayOf } from './series.ts';

describe('a customer who became unprofitable', () => {
  function states(days: readonly (readonly [revenue: string, cost: string])[], since: string | null = null) {
    let memory: CustomerMemory | null = null;
    return days.map(([revenue, cost], index) => {
      const verdict = judgeUnprofitable({ day: dayOf(index), since, revenue, cost, floor: '0' }, memory);
      memory = JSON.parse(JSON.stringify(verdict.memory)) as CustomerMemory;
      return verdict.end ?? verdict.state;
    });
  }

  it('fires on the second day in a row, exact to the last digit of the ledger', () => {
    const worse = ['100', '100.000000000000001'] as const;
    expect(states([worse, ['100', '100'], worse, worse])).toEqual(['PENDING', 'OK', 'PENDING', 'FIRING']);
  });

  it('ends when the margin is above two percent, not at two percent', () => {
    const burns = ['100', '130'] as const;
    expect(states([burns, burns, ['100', '99'], ['100', '98'], ['100', '97.999999999999999']])).toEqual([
      'PENDING',
      'FIRING',
      'FIRING',
      'FIRING',
      'RECOVERED',
    ]);
  });

  it('does not fire in the first fourteen days of a customer', () => {
    const burns = Array.from({ length: 17 }, () => ['1', '5'] as const);
    expect(states(burns, dayOf(0)).slice(13)).toEqual(['LEARNING', 'PENDING', 'FIRING', 'FIRING']);
  });

  it('does not fire without revenue, stays while a customer who stopped paying costs money, and does not apply once the customer has neither revenue nor costs', () => {
    const burns = ['1', '5'] as const;
    expect(states([['0', '5'], ['0', '5'], burns, burns, ['0', '5'], ['0', '0']])).toEqual([
      'OK',
      'OK',
      'PENDING',
      'FIRING',
      'FIRING',
      'NOT_APPLICABLE',
    ]);
  });

  it('does not fire while the loss is not above the minimum', () => {
    const state = (cost: string) =>
      judgeUnprofitable({ day: dayOf(0), since: null, revenue: '1', cost, floor: '5' }, null).state;
    expect([state('6'), state('6.01')]).toEqual(['OK', 'PENDING']);
  });

  it('shows revenue, cost, margin and its percentage', () => {
    expect(
      judgeUnprofitable({ day: dayOf(0), since: null, revenue: '20.5', cost: '30.75', floor: '0' }, null).figures,
    ).toEqual([
      { name: 'revenue', value: '20.5', unit: 'usd' },
      { name: 'cost', value: '30.75', unit: 'usd' },
      { name: 'margin', value: '-10.25', unit: 'usd' },
      { name: 'margin_percent', value: '-50', unit: 'percent' },
    ]);
  });

  it('evaluates a day once', () => {
    const first = judgeUnprofitable({ day: dayOf(3), since: null, revenue: '1', cost: '5', floor: '0' }, null);
    const again = judgeUnprofitable({ day: dayOf(3), since: null, revenue: '1', cost: '5', floor: '0' }, first.memory);
    expect([again.state, again.memory]).toEqual(['PENDING', first.memory]);
  });
});

describe('cost without revenue', () => {
  function states(days: readonly (readonly [revenue: string, cost: string])[]) {
    let memory: CustomerMemory | null = null;
    return days.map(([revenue, cost], index) => {
      const verdict = judgeCostWithoutRevenue({ day: dayOf(index), since: null, revenue, cost, floor: '10' }, memory);
      memory = verdict.memory;
      return verdict.end ?? verdict.state;
    });
  }

  it('fires after two days above the minimum, and ends when revenue arrives or the cost falls a fifth below the minimum', () => {
    expect(
      states([
        ['0', '10'],
        ['0', '10.01'],
        ['0', '11'],
        ['0', '8.01'],
        ['0', '8'],
      ]),
    ).toEqual(['OK', 'PENDING', 'FIRING', 'FIRING', 'NOT_APPLICABLE']);
    expect(
      states([
        ['0', '11'],
        ['0', '11'],
        ['0.01', '11'],
      ]),
    ).toEqual(['PENDING', 'FIRING', 'RECOVERED']);
  });
});

describe('the cost per completed task', () => {
  type Day = readonly [count: number, succeeded: number, cost: string];
  function states(threshold: string, days: readonly Day[]) {
    let memory: ThresholdMemory | null = null;
    return days.map(([count, succeeded, cost]) => {
      const input = { count, succeeded, cost, failedCost: '0', costPerSuccess: null, threshold };
      const verdict = judgeCostPerSuccess(input, memory);
      memory = verdict.memory;
      return verdict.end ?? verdict.state;
    });
  }

  it('fires for attempts at $0.02 of which half succeed, and not for attempts at $0.03 that all succeed', () => {
    // 4 × $0.02 for 2 completed tasks are $0.04 each; 2 × $0.03 for 2 are $0.03 each.
    expect(states('0.035', [[4, 2, '0.08']])).toEqual(['FIRING']);
    expect(states('0.035', [[2, 2, '0.06']])).toEqual(['OK']);
  });

  it('is exact even for a third, which has no last digit', () => {
    // $1 for 3 tasks is above 0.333333333333333 by a third of the last digit of the ledger.
    expect(states('0.333333333333333', [[3, 3, '1']])).toEqual(['FIRING']);
    expect(states('0.333333333333334', [[3, 3, '1']])).toEqual(['OK']);
  });

  it('ends when the cost is a twentieth below the threshold', () => {
    expect(
      states('2', [
        [10, 10, '20.01'],
        [10, 10, '19.01'],
        [10, 10, '19'],
      ]),
    ).toEqual(['FIRING', 'FIRING', 'RECOVERED']);
  });

  it('fires without a completed task once the failed attempts cost more than one completed task may', () => {
    expect(
      states('2', [
        [1, 0, '2'],
        [2, 0, '2.01'],
        [1, 0, '1'],
        [5, 5, '5'],
        [1, 0, '1'],
      ]),
    ).toEqual(['OK', 'FIRING', 'FIRING', 'RECOVERED', 'OK']);
  });

  it('ends when there are neither outcomes nor costs', () => {
    expect(
      states('2', [
        [1, 1, '3'],
        [0, 0, '0'],
      ]),
    ).toEqual(['FIRING', 'NOT_APPLICABLE']);
  });

  it('shows its figures', () => {
    expect(
      judgeCostPerSuccess(
        { count: 4, succeeded: 2, cost: '0.08', failedCost: '0.04', costPerSuccess: '0.04', threshold: '0.035' },
        null,
      ).figures,
    ).toEqual([
      { name: 'cost_per_success', value: '0.04', unit: 'usd_per_success' },
      { name: 'threshold', value: '0.035', unit: 'usd_per_success' },
      { name: 'cost', value: '0.08', unit: 'usd' },
      { name: 'failed_cost', value: '0.04', unit: 'usd' },
      { name: 'outcomes', value: '4', unit: 'count' },
      { name: 'succeeded', value: '2', unit: 'count' },
    ]);
  });
});

describe('a threshold', () => {
  function states(
    values: readonly (string | null)[],
    input: { comparator?: 'ABOVE' | 'BELOW'; threshold: string; unit?: 'usd' | 'percent' },
  ) {
    let memory: ThresholdMemory | null = null;
    return values.map((value) => {
      const verdict = judgeThreshold({ comparator: 'ABOVE', unit: 'usd', ...input, value }, memory);
      memory = verdict.memory;
      return verdict.end ?? verdict.state;
    });
  }

  it('is exact to the last digit', () => {
    expect(states(['100', '100.000000000000001'], { threshold: '100' })).toEqual(['OK', 'FIRING']);
  });

  it('keeps firing while a figure moves around the threshold', () => {
    expect(states(['101', '99', '101', '95.01', '95', '99'], { threshold: '100' })).toEqual([
      'FIRING',
      'FIRING',
      'FIRING',
      'FIRING',
      'RECOVERED',
      'OK',
    ]);
  });

  it('also works for values below it, and with percentages below zero', () => {
    expect(states(['9', '10.4', '10.5'], { threshold: '10', comparator: 'BELOW' })).toEqual([
      'FIRING',
      'FIRING',
      'RECOVERED',
    ]);
    expect(states(['-6', '-4', '-3'], { threshold: '-5', comparator: 'BELOW', unit: 'percent' })).toEqual([
      'FIRING',
      'FIRING',
      'RECOVERED',
    ]);
  });

  it('keeps its state if the figure does not exist', () => {
    expect(states([null, '101', null, '1', null], { threshold: '100' })).toEqual([
      'OK',
      'FIRING',
      'FIRING',
      'RECOVERED',
      'OK',
    ]);
  });
});

describe('a budget', () => {
  const judge = (
    spent: string,
    memory: BudgetMemory | null,
    { period = '2026-11', forecast = null as string | null } = {},
  ) => judgeBudget({ period, spent, amount: '200', levels: [50, 80, 100], forecast }, memory);

  it('fires once for every level of a period', () => {
    const half = judge('100', null);
    expect([half.state, half.newLevels]).toEqual(['FIRING', [50]]);
    expect(judge('100.5', half.memory).newLevels).toEqual([]);
    const corrected = judge('99', half.memory);
    expect([corrected.state, corrected.newLevels]).toEqual(['FIRING', []]);
    expect(judge('100', corrected.memory).newLevels).toEqual([]);
    expect(judge('500', half.memory).newLevels).toEqual([80, 100]);
    expect(judge('99.999999999999999', null).newLevels).toEqual([]);
  });

  it('starts a new period with no level reached, once the old one has ended', () => {
    const all = judge('500', null);
    const next = judge('150', all.memory, { period: '2026-12' });
    expect([next.state, next.end, next.newLevels]).toEqual(['OK', 'NOT_APPLICABLE', []]);
    const then = judge('150', next.memory, { period: '2026-12' });
    expect([then.state, then.end, then.newLevels]).toEqual(['FIRING', null, [50]]);
  });

  it('reports once that the forecast exceeds it, and not if the cost itself has reached it', () => {
    const first = judge('10', null, { forecast: '200.01' });
    expect([first.state, first.isNewForecast]).toEqual(['FIRING', true]);
    expect(judge('20', first.memory, { forecast: '300' }).isNewForecast).toBe(false);
    expect(judge('200', null, { forecast: '300' }).isNewForecast).toBe(false);
    expect(judge('10', null, { forecast: '200' }).isNewForecast).toBe(false);
  });

  it('reports every level at most once, in whatever order costs and corrections arrive', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1 }), (costs) => {
        let memory: BudgetMemory | null = null;
        const reported = costs.flatMap((cost) => {
          const verdict = judge(String(cost), memory);
          memory = JSON.parse(JSON.stringify(verdict.memory)) as BudgetMemory;
          return verdict.newLevels;
        });
        const most = Math.max(...costs);
        expect(reported).toEqual([50, 80, 100].filter((level) => most >= 2 * level));
      }),
    );
  });

  it('is exceeded at the hour in which the forecast reaches the remaining amount', () => {
    const hours = Array<number>(28 * 24).fill(2);
    const from = new Date('2026-11-20T05:00:00Z');
    expect(passesAt(hours, from, 200, '99')?.toISOString()).toBe('2026-11-22T07:00:00.000Z');
    expect(passesAt(hours, from, 200, '400')).toBeNull();
    expect(passesAt(hours, from, 200, '399.5')?.toISOString()).toBe('2026-11-28T13:00:00.000Z');
    expect(passesAt(hours.slice(0, 100), from, 200, '1')).toBeNull();
  });
});
