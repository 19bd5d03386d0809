/** Reads the two ends of a window. */
import { fail } from '../../schema/errors.ts';
import { compareInstants, type Instant, parseIso8601 } from './instant.ts';

/** Stops with `VALIDATION_ERROR` for what is not an instant, and for a start that does not lie before the end. */
export function readWindow(window: { start: string; end: string }): { start: Instant; end: Instant } {
  const start = parseIso8601(window.start) ?? fail('VALIDATION_ERROR', 'start must be an ISO 8601 date or date-time');
  const end = parseIso8601(window.end) ?? fail('VALIDATION_ERROR', 'end must be an ISO 8601 date or date-time');
  if (compareInstants(start.iso, end.iso) >= 0) fail('VALIDATION_ERROR', 'start must be before end');
  return { start, end };
}
