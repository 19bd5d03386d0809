/** The form for a fixed cost: what is saved and shown again is saved unchanged. */
import { expect, it } from 'vitest';
import { hasComma, inputOf, periodsOf, typedOf } from '../../../dashboard/pages/costs/fixed-cost-fields.ts';

type FixedCost = Parameters<typeof typedOf>[0];

const COST: FixedCost = {
  ...{ key: 'seats', name: 'Seats', provider: 'openai', driver: 'UNITS', unit: 'web_searches', capacityPerDay: '10' },
  replacesModelCost: true,
  weights: [
    { class: 'output', weight: '4' },
    { class: 'cache_read', weight: '0.1' },
  ],
  // Ids of end users and values of dimensions may contain an equals sign.
  shares: [
    { endUser: 'a=b', percent: '12.5' },
    { endUser: 'c', percent: '50' },
  ],
  scope: {
    models: ['gpt-*', 'o3'],
    endUsers: ['a=b'],
    dimensions: [
      { key: 'feature', values: ['chat', 'a=b=c'] },
      { key: 'agent_id', values: ['support'] },
    ],
  },
  periods: [
    { from: '2026-01-01', until: '2026-02-01', amount: '100', per: 'MONTH', quantity: '2' },
    { from: '2026-02-01', until: null, amount: '3', per: 'HOUR', quantity: '1' },
  ],
} as FixedCost;

it('the form of a fixed cost has every field, and returns it as it was', () => {
  const { periods, ...terms } = COST;
  expect(inputOf(typedOf(COST))).toEqual({
    ...terms,
    periods: [periods[0], { from: '2026-02-01', amount: '3', per: 'HOUR', quantity: '1' }],
  });
});

it('the form of a fixed cost leaves out what is empty', () => {
  const empty = { ...COST, provider: null, unit: null, capacityPerDay: null, weights: [], shares: [] };
  const scope = { ...COST.scope, models: null, endUsers: null, dimensions: [] };
  expect(inputOf(typedOf({ ...empty, replacesModelCost: false, driver: 'NONE', scope, periods: [] }))).toEqual({
    ...{ key: 'seats', name: 'Seats', driver: 'NONE', replacesModelCost: false, weights: [], shares: [] },
    ...{ scope: { dimensions: [] }, periods: [] },
  });
});

it('the form of a fixed cost offers one empty period after the last, and keeps empty ones in between', () => {
  const offered = (...from: readonly number[]) =>
    periodsOf(new URLSearchParams(from.map((index) => [`from${index}`, '2026-01-01']))).map(({ isEmpty }) => isEmpty);
  expect(offered()).toEqual([true]);
  expect(offered(0)).toEqual([false, true]);
  expect(offered(0, 2)).toEqual([false, true, false, true]);
  expect(offered(119)).toHaveLength(120);
});

it('the form of a fixed cost cannot show names that contain a comma', () => {
  const { scope } = COST;
  expect(hasComma(COST)).toBe(false);
  expect(hasComma({ ...COST, shares: [{ endUser: 'a,b', percent: '1' }] })).toBe(true);
  expect(hasComma({ ...COST, scope: { ...scope, models: ['a,b'] } })).toBe(true);
  expect(hasComma({ ...COST, scope: { ...scope, endUsers: ['a,b'] } })).toBe(true);
  expect(hasComma({ ...COST, scope: { ...scope, dimensions: [{ key: 'feature', values: ['a,b'] }] } })).toBe(true);
});
