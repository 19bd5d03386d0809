/** Parses the UTC days of a request. */
import { requireInstant } from '#kernel/time/instant.ts';
import { fail } from '#kernel/errors.ts';
import { addDays, dayOf } from '#kernel/time/utc-day.ts';
import type { DayWindow } from './compare-days.step.ts';

/** `start` is inclusive, `end` exclusive. Fails with `VALIDATION_ERROR`. */
export function requestedDays({ start, end }: { readonly start: string; readonly end: string }): DayWindow {
  const from = dayOf(requireInstant('start', start).epochMs);
  // A day that the window touches is included in full.
  const until = dayOf(requireInstant('end', end).epochMs - 1);
  if (until < from) fail('VALIDATION_ERROR', 'start must be before end');
  return { from, until: addDays(until, 1) };
}
