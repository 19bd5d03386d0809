/** Parses the UTC days of a request. */
import { requireInstant } from '#kernel/time/instant.ts';
import { fail } from '#schema/errors.ts';
import { addDays, utcDay } from '../lines/utc-day.ts';
import type { DayWindow } from './compare-days.step.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** `start` is inclusive, `end` exclusive. Fails with `VALIDATION_ERROR`. */
export function requestedDays({ start, end }: { readonly start: string; readonly end: string }): DayWindow {
  const from = utcDay(requireInstant('start', start).epochMs);
  // A day that the window touches is included in full.
  const until = utcDay(requireInstant('end', end).epochMs - 1);
  if (until < from) fail('VALIDATION_ERROR', 'start must be before end');
  return { from, until: addDays(until, 1) };
}

/** Fails with `VALIDATION_ERROR` if it is not a UTC day. */
export function requireDay(name: string, text: string): string {
  if (!DAY.test(text) || !Number.isFinite(Date.parse(`${text}T00:00:00Z`)))
    fail('VALIDATION_ERROR', `${name} must be a UTC day, such as 2026-11-27`);
  return text;
}
