/** How often and when an event is tried again whose pricing failed. */
import { PRICING_ATTEMPTS_MAX, PRICING_RETRY_MILLISECONDS } from '../../config.ts';

/** How long to wait after so many failed attempts, each pause twice as long; null: the event is given up. */
export function pauseMilliseconds(attempt: number): number | null {
  return attempt >= PRICING_ATTEMPTS_MAX ? null : PRICING_RETRY_MILLISECONDS * 2 ** (attempt - 1);
}

/**
 * Whether dividing the jobs may help: SQLSTATE classes of data that does not fit, or an error in a rule. Lost connections,
 * deadlocks, a missing table are not the events' fault: their jobs stay as they are.
 */
export function isEventError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return /^(21|22|23|54)...$/.test(code);
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}
