/** The only function that computes a percentage (decision 9, D27). */
import { absolute, type Amount } from './money.ts';
import { groupedDigits } from './usd-text.ts';

const DIGITS = 2;

/** `part / whole * 100`, half-up (away from zero) to two decimals; `null` when the whole is zero. */
export function percent(part: Amount, whole: Amount): number | null {
  if (whole === 0n) return null;
  const numerator = part * 10_000n;
  const quotient = numerator / whole;
  const twiceRest = 2n * absolute(numerator - quotient * whole);
  const away = twiceRest < absolute(whole) ? 0n : numerator < 0n === whole < 0n ? 1n : -1n;
  // Parsed as a decimal: a division would round a quotient above 2⁵³ twice.
  return Number(`${quotient + away}e-2`);
}

/** `1,234.50%`, and `−0.50%`. */
export function percentText(share: number): string {
  return `${groupedDigits(share.toFixed(DIGITS)).replace('-', '−')}%`;
}
