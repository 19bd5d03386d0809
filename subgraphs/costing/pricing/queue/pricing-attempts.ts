/** How often and when an event is tried again whose pricing failed. */
import { PRICING_ATTEMPTS_MAX, PRICING_RETRY_MILLISECONDS } from '../../config.ts';

/** When to try again after so many failed attempts, each pause twice as long; null: the event is given up. */
export function afterFailure(attempt: number, at: Date): Date | null {
  if (attempt >= PRICING_ATTEMPTS_MAX) return null;
  return new Date(at.getTime() + PRICING_RETRY_MILLISECONDS * 2 ** (attempt - 1));
}
