/** The part of a fixed cost that falls on one UTC day. The parts of a month or period add up to it exactly. */
import { type Amount, amount, plain, toLedger } from '#kernel/money.ts';
import { daysInMonth } from '#kernel/time/calendar.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import type { Period } from './fixed-cost.ts';

const HOURS_OF_DAY = 24n;

/** Null if no period contains the day. */
export function amountOfDay(periods: readonly Period[], day: string): Amount | null {
  const period = periods.find(({ fromDay, untilDay }) => fromDay <= day && (untilDay === null || day < untilDay));
  if (period === undefined) return null;
  const total = amount(plain(toLedger(period.amount.times(period.quantity))));
  if (period.per === 'hour') return total * HOURS_OF_DAY;
  if (period.per === 'day') return total;
  const [days, index] = period.per === 'month' ? placeInMonth(day) : placeInPeriod(period, day);
  // Days have equal weights, so the first days get the remainder.
  return total / days + (index < total % days ? 1n : 0n);
}

function placeInMonth(day: string): [days: bigint, index: bigint] {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return [BigInt(daysInMonth(year, month)), BigInt(date - 1)];
}

/** A period that is paid as a whole has an end. */
function placeInPeriod({ fromDay, untilDay }: Period, day: string): [days: bigint, index: bigint] {
  return [BigInt(daysBetween(fromDay, untilDay!)), BigInt(daysBetween(fromDay, day))];
}

/** Number of days from one day (`2026-11-27`) to another. */
export function daysBetween(from: string, until: string): number {
  return Math.round((Date.parse(until) - Date.parse(from)) / DAY_MS);
}
