/** How often and when an event is tried again whose pricing failed. */
import { PRICING_ATTEMPTS_MAX, PRICING_RETRY_MILLISECONDS } from '../../config.ts';

/** How long to wait after so many failed attempts, each pause twice as long; null: the event is given up. */
export function pauseMilliseconds(attempt: number): number | null {
  return attempt >= PRICING_ATTEMPTS_MAX ? null : PRICING_RETRY_MILLISECONDS * 2 ** (attempt - 1);
}
