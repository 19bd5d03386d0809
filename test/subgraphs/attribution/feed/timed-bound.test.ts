import { expect, it } from 'vitest';
import { timedBound } from '../../../../subgraphs/attribution/feed/timed-bound.ts';

it.each([
  ['shrinks to what fits after a step that took too long', [[1_000, 400]], 250],
  ['does not shrink below the least', [[1_000, 40_000]], 100],
  ['grows by half after a fast step that filled it', [[1_000, 10]], 1_500],
  ['grows no further than what fits', [[1_000, 80]], 1_250],
  ['does not grow above the most', Array.from({ length: 20 }, () => [4_000, 1]), 4_000],
  ['learns nothing from a step with little work', [[10, 1]], 1_000],
  ['learns nothing from a step with little work that took too long', [[10, 4_000]], 1_000],
  ['learns nothing from a step without work', [[0, 1]], 1_000],
])('a bound %s', (_, steps, max) => {
  const bound = timedBound({ least: 100, most: 4_000, first: 1_000, milliseconds: 100 });
  for (const [work = 0, milliseconds = 0] of steps) bound.took(work, milliseconds);
  expect(bound.max).toBe(max);
});
