/** Reads the two ends of a window (decisions.md D29). */
import { now } from '../../../platform/clock.ts';
import { parseDateRange } from '../../../kernel/time/date-range.ts';
import type { Span } from '../../../kernel/time/split-window.ts';

/** Fails with `VALIDATION_ERROR` for what is no instant, or not in order, or longer than a range may be. */
export function openWindow({ start, end }: { start: unknown; end: unknown }): Span {
  return parseDateRange({ start_date: String(start), end_date: String(end) }, { required: true, now: now() });
}
