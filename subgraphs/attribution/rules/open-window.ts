/** Reads the two ends of a window (decisions.md D29). */
import { parseDateRange } from '../../../schema/date-range.ts';
import type { Span } from './split-window.ts';

/** Fails with `VALIDATION_ERROR` for what is no instant, or not in order, or longer than a range may be. */
export function openWindow(start: string, end: string, now: Date): Span {
  return parseDateRange({ start_date: start, end_date: end }, { required: true, now });
}
