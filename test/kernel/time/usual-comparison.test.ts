import { expect, it } from 'vitest';
import { usualComparison } from '#kernel/time/usual-comparison.ts';

it.each([
  ['the first days of a month', '2026-11-01', '2026-11-26', '2026-10-01', '2026-10-26'],
  ['a whole month', '2026-11-01', '2026-12-01', '2026-10-01', '2026-11-01'],
  ['a March longer than February', '2026-03-01', '2026-03-31', '2026-02-01', '2026-03-01'],
  ['other days', '2026-11-02', '2026-11-26', '2026-10-09', '2026-11-02'],
  ['more than a month', '2026-10-01', '2026-11-26', '2026-08-06', '2026-10-01'],
  ['some hours', '2026-11-01T00:00Z', '2026-11-01T06:00Z', '2026-10-31T18:00Z', '2026-11-01T00:00Z'],
])('%s is compared with the usual period before', (_, start, end, previousStart, previousEnd) => {
  const before = usualComparison({ start: new Date(start), end: new Date(end) });
  expect([before.start, before.end]).toEqual([new Date(previousStart), new Date(previousEnd)]);
});
