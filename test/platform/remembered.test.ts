import { expect, it, onTestFinished, vi } from 'vitest';
import { remembered } from '#platform/remembered.ts';

const MINUTE = 60;

it('a result is reused for its key only', async () => {
  const recent = remembered<string>({ seconds: MINUTE, resultsMax: 10 });
  expect(await recent('one', async () => 'first')).toBe('first');
  expect(await recent('one', async () => 'second')).toBe('first');
  expect(await recent('other', async () => 'third')).toBe('third');
});

it('a result is loaded again once its time has passed', async () => {
  const recent = remembered<string>({ seconds: 0, resultsMax: 10 });
  expect(await recent('one', async () => 'first')).toBe('first');
  expect(await recent('one', async () => 'second')).toBe('second');
});

it('the oldest results beyond the maximum are forgotten', async () => {
  const recent = remembered<string>({ seconds: MINUTE, resultsMax: 2 });
  for (const key of ['one', 'two', 'three']) await recent(key, async () => 'before');
  expect(await recent('three', async () => 'after')).toBe('before');
  expect(await recent('one', async () => 'after')).toBe('after');
});

it('a result that is loaded again is not the oldest any more', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const recent = remembered<string>({ seconds: MINUTE, resultsMax: 2 });
  await recent('one', async () => 'before');
  clock.mockReturnValue(30_000);
  await recent('two', async () => 'before');
  clock.mockReturnValue(60_000);
  await recent('one', async () => 'after');
  await recent('three', async () => 'after');
  expect(await recent('one', async () => 'at last')).toBe('after');
  expect(await recent('two', async () => 'at last')).toBe('at last');
});

it('a failure is not remembered', async () => {
  const recent = remembered<string>({ seconds: MINUTE, resultsMax: 10 });
  await expect(recent('one', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await recent('one', async () => 'loaded')).toBe('loaded');
});
