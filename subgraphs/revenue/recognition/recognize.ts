/** How much of a record belongs to a window (decision 9, D40). `recognized-sql.ts` says exactly the same to PostgreSQL. */
import { type Money, toLedger, ZERO } from '../../../kernel/money.ts';

/** A span in whole microseconds since 1970; the end is exclusive. */
export interface Span {
  readonly start: bigint;
  readonly end: bigint;
}

/**
 * Linear in time over the period: what had been recognized at the window's end, less what had been at its start, each rounded
 * half-up to 15 digits. So adjoining windows add up to their union, and all windows to the amount. A negative record mirrors a
 * positive one. A period without length is recognized at its instant. `from` is the first instant that was open when the record was
 * written: what lies before is recognized then.
 */
export function recognize(amount: Money, period: Span, window: Span, from: bigint = period.start): Money {
  return recognizedUntil(amount, period, window.end, from).minus(recognizedUntil(amount, period, window.start, from));
}

function recognizedUntil(amount: Money, period: Span, instant: bigint, from: bigint): Money {
  if (instant <= period.start || instant <= from) return ZERO;
  if (instant >= period.end) return amount;
  return toLedger(amount.times(String(instant - period.start)).div(String(period.end - period.start)));
}
