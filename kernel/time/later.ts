/** Instants before and after another. */
const DAY_SECONDS = 86_400;

export function later(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}

export function earlier(time: Date, seconds: number): Date {
  return later(time, -seconds);
}

export function daysLater(time: Date, days: number): Date {
  return later(time, days * DAY_SECONDS);
}
