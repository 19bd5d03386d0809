/** Lengths of time, and instants relative to another one. Days are UTC days of 24 hours. */

const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const DAY_SECONDS = DAY_MS / SECOND_MS;

export function later(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * SECOND_MS);
}

export function earlier(time: Date, seconds: number): Date {
  return later(time, -seconds);
}

export function daysLater(time: Date, days: number): Date {
  return new Date(time.getTime() + days * DAY_MS);
}

export function daysEarlier(time: Date, days: number): Date {
  return daysLater(time, -days);
}
