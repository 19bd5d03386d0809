/** UTC days as texts. */
import { DAY_MS } from '#kernel/time/duration.ts';

export function dayBefore(day: string): string {
  return shiftDay(day, -1);
}

export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}
