import { expect, it } from 'vitest';
import { shareCheck } from '../../start/health/share-check.ts';

it('concurrent callers share one run, and so do callers right after it', async () => {
  let runs = 0;
  const check = shareCheck(
    async () => {
      runs += 1;
      return runs;
    },
    1_000,
    -1,
  );
  expect(await Promise.all([check(), check(), check()])).toEqual([1, 1, 1]);
  expect(await check()).toBe(1);
  await expect.poll(check).toBe(2);
});

it('a hanging check times out for all its callers, and the next check runs in spite of it', async () => {
  let runs = 0;
  const check = shareCheck(
    () => {
      runs += 1;
      return runs === 1 ? new Promise<string>(() => {}) : Promise.resolve('in time');
    },
    50,
    'late',
  );
  expect(await Promise.all([check(), check()])).toEqual(['late', 'late']);
  await expect.poll(check).toBe('in time');
  expect(runs).toBe(2);
});
