import { expect, test } from 'vitest';
import { flagEvent } from '../../../../subgraphs/costing/ingestion/ingestion-result.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const DAY = 86_400_000;

test.each([
  [0, false, true, null],
  [-DAY, false, true, null],
  [-DAY - 1, false, true, 'timestamp_too_old'],
  [60_000, false, true, null],
  [60_001, false, true, 'timestamp_in_future'],
  [0, true, true, 'quota_soft_limit'],
  [0, false, false, 'no_rate_card'],
  [-DAY - 1, true, false, 'timestamp_too_old,quota_soft_limit,no_rate_card'],
  [60_001, true, false, 'timestamp_in_future,quota_soft_limit,no_rate_card'],
])('%i ms from now, past the soft limit: %s, priced: %s → %s', (offset, isPastSoftLimit, hasPrice, reason) => {
  expect(flagEvent({ eventTimeMs: NOW + offset, nowMs: NOW, isPastSoftLimit, hasPrice })).toBe(reason);
});
