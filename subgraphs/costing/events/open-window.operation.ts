/** The span of time on which every dated figure hangs (decisions.md D29). */
import { now } from '../../../platform/clock.ts';
import { type DateRange, parseDateRange } from '../../../kernel/time/date-range.ts';

/** Both ends in their one form. Fails with `VALIDATION_ERROR` for what is no instant, no span, or longer than 100 years. */
export function openWindow({ start, end }: DateRange): DateRange {
  return parseDateRange({ start_date: start, end_date: end }, { required: true, now: now() });
}
