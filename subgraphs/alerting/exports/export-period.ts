/** When exports are due, and what they cover: days and months in UTC. */
import { addMonths, monthStart } from '#kernel/time/calendar.ts';
import { DAY_MS, daysLater, HOUR_MS } from '#kernel/time/duration.ts';
import { EXPORT_HOURS } from '../config.ts';
import type { ExportPeriod } from '../resolvers.generated.ts';

/** Start of the last period that is due. */
export function lastDuePeriod(at: Date, period: ExportPeriod): Date {
  const settled = new Date(at.getTime() - EXPORT_HOURS * HOUR_MS);
  if (period === 'MONTH') return addMonths(monthStart(settled.getUTCFullYear(), settled.getUTCMonth()), -1);
  return new Date((Math.floor(settled.getTime() / DAY_MS) - 1) * DAY_MS);
}

/** Start of the period after the one that starts at `start`. */
export function nextExportPeriod(start: Date, period: ExportPeriod): Date {
  return period === 'MONTH' ? addMonths(start, 1) : daysLater(start, 1);
}

/** When the period that starts at `start` is due. */
export function exportDueAt(start: Date, period: ExportPeriod): Date {
  return new Date(nextExportPeriod(start, period).getTime() + EXPORT_HOURS * HOUR_MS);
}

/** `2026-11-27` or `2026-11`. */
export function periodName(start: Date, period: ExportPeriod): string {
  return start.toISOString().slice(0, period === 'MONTH' ? 'YYYY-MM'.length : 'YYYY-MM-DD'.length);
}
