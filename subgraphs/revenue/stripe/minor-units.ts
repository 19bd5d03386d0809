/** Conversion between the processor's minor units and the ledger's major units. */
import { type Money, money } from '#kernel/money.ts';

/**
 * Currencies with no or three decimals (Stripe, "Supported currencies"). All others have two, including ISK and UGX,
 * whose amounts end in 00.
 */
const ZERO_DECIMALS = new Set([
  'bif',
  'clp',
  'djf',
  'gnf',
  'jpy',
  'kmf',
  'krw',
  'mga',
  'pyg',
  'rwf',
  'vnd',
  'vuv',
  'xaf',
  'xof',
  'xpf',
]);
const THREE_DECIMALS = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);

/** `1250` USD is 12.50, `1250` JPY is 1250, `1250` KWD is 1.250. */
export function fromMinorUnits(minor: bigint, currency: string): Money {
  return money(String(minor)).div(10 ** decimalsOf(currency));
}

/** Inverse of {@link fromMinorUnits}. */
export function toMinorUnits(amount: Money, currency: string): bigint {
  return BigInt(amount.times(10 ** decimalsOf(currency)).toFixed(0));
}

function decimalsOf(currency: string): number {
  if (ZERO_DECIMALS.has(currency)) return 0;
  return THREE_DECIMALS.has(currency) ? 3 : 2;
}
