/** Divides a call's tokens into the classes that are priced, so that every token is priced exactly once. */
import { ZERO } from '../../../kernel/money.ts';
import type { Quantity } from '../../../kernel/money.ts';
import type { TokenClass } from '../rates/rate-card-version.ts';

/** Tokens to be charged at each class's rate; `input` and `output` are the plain ones, `cacheCreation` without 1h. */
export type TokenQuantities = Readonly<Record<TokenClass, Quantity>>;

/** Inclusive totals: cache tokens lie inside `input`, reasoning inside `output`, one-hour writes inside the writes. */
export type TokenTotals = {
  readonly input: Quantity;
  readonly output: Quantity;
  readonly cacheRead?: Quantity | null;
  readonly cacheCreation?: Quantity | null;
  readonly cacheCreation1h?: Quantity | null;
  readonly reasoning?: Quantity | null;
};

/** One-hour writes above all writes are cut to them: the count of all writes is the documented one. */
export function tokenQuantities(totals: TokenTotals): TokenQuantities {
  const cacheRead = totals.cacheRead ?? ZERO;
  const written = totals.cacheCreation ?? ZERO;
  const written1h = totals.cacheCreation1h ?? ZERO;
  const cacheCreation1h = written1h.gt(written) ? written : written1h;
  const reasoning = totals.reasoning ?? ZERO;
  return {
    input: totals.input.minus(cacheRead).minus(written),
    output: totals.output.minus(reasoning),
    cacheCreation: written.minus(cacheCreation1h),
    cacheCreation1h,
    cacheRead,
    reasoning,
  };
}
