/** Determines when days are judged: when most of their late events have arrived. */
import type { OrganizationId } from '#kernel/ids.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kernel/time/duration.ts';
import { SETTLE_HOURS, SPREAD_MINUTES } from '../config.ts';

/** The window of a UTC day (`2026-11-27`), as ISO 8601; the end is exclusive. */
export function windowOf(day: string): { readonly start: string; readonly end: string } {
  const start = Date.parse(day);
  return { start: new Date(start).toISOString(), end: new Date(start + DAY_MS).toISOString() };
}

/** The last UTC day that ended long enough ago for most late events to have arrived. */
export function lastSettledDay(at: Date): string {
  const today = Math.floor((at.getTime() - SETTLE_HOURS * HOUR_MS) / DAY_MS) * DAY_MS;
  return new Date(today - DAY_MS).toISOString().slice(0, 10);
}

/** Each organization has its own minute within the hour in which days are judged. */
export function nextSettling({
  at,
  organizationId,
}: {
  readonly at: Date;
  readonly organizationId: OrganizationId;
}): Date {
  const today = Math.floor((at.getTime() - SETTLE_HOURS * HOUR_MS) / DAY_MS) * DAY_MS;
  const minute = Number.parseInt(organizationId.slice(-4), 16) % SPREAD_MINUTES;
  return new Date(today + DAY_MS + SETTLE_HOURS * HOUR_MS + minute * MINUTE_MS);
}
