import { expect, it } from 'vitest';
import { settledUntil } from '../../../../subgraphs/costing/provider-costs/settled-days.ts';

it.each([
  ['2026-03-10T01:59:59.999Z', '2026-03-09'],
  ['2026-03-10T02:00:00Z', '2026-03-10'],
  ['2026-03-10T23:59:59.999Z', '2026-03-10'],
])('at %s, days before %s are settled', (at, day) => {
  expect(settledUntil(new Date(at))).toBe(day);
});
