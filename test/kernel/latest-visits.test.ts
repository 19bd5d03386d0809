import { expect, it } from 'vitest';
import { latestVisits } from '#kernel/latest-visits.ts';

it('the time of the last visit by anybody else is returned, however often one visitor comes', () => {
  const visits = latestVisits();
  const others = () => ['a', 'b', 'c'].map((visitor) => visits.lastOfOthers(visitor));
  expect(others()).toEqual([-Infinity, -Infinity, -Infinity]);
  visits.record('a', 1);
  visits.record('a', 2);
  expect(others()).toEqual([-Infinity, 2, 2]);
  visits.record('b', 3);
  visits.record('a', 4);
  visits.record('a', 5);
  expect(others()).toEqual([3, 5, 5]);
});
