/** Days and months in UTC are exported six hours after their end. */
import { expect, it } from 'vitest';
import {
  exportDueAt,
  lastDuePeriod,
  nextExportPeriod,
  periodName,
} from '../../../../subgraphs/alerting/exports/export-period.ts';

it.each([
  ['DAY', '2026-03-01T05:59:59.999Z', '2026-02-27', '2026-02-28', '2026-03-01'],
  ['DAY', '2026-03-01T06:00:00.000Z', '2026-02-28', '2026-03-01', '2026-03-02'],
  ['DAY', '2026-01-01T06:00:00.000Z', '2025-12-31', '2026-01-01', '2026-01-02'],
  ['MONTH', '2026-03-01T05:59:59.999Z', '2026-01', '2026-02', '2026-03'],
  ['MONTH', '2026-03-01T06:00:00.000Z', '2026-02', '2026-03', '2026-04'],
  ['MONTH', '2026-03-31T12:00:00.000Z', '2026-02', '2026-03', '2026-04'],
  ['MONTH', '2026-01-15T00:00:00.000Z', '2025-12', '2026-01', '2026-02'],
] as const)('the last %s that is due at %s is %s, followed by %s', (period, at, last, next, afterNext) => {
  const startOf = (name: string) => new Date(`${name}${period === 'MONTH' ? '-01' : ''}T00:00:00Z`);
  const start = lastDuePeriod(new Date(at), period);
  expect(start).toEqual(startOf(last));
  expect(periodName(start, period)).toBe(last);
  expect(nextExportPeriod(start, period)).toEqual(startOf(next));
  expect(exportDueAt(startOf(next), period)).toEqual(new Date(startOf(afterNext).getTime() + 6 * 3_600_000));
});
