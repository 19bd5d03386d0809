/**
 * Amounts shown next to their total. Each is rounded to cents in such a way that the shown parts add up to the shown
 * total: cents that rounding leaves over go to the parts with the largest remainders.
 */
import { absolute, amount, type Amount } from './money.ts';

const CENT = amount('0.01');

/**
 * Parts that do not add up to the total, for example those of one page of a list, are rounded one by one. `shown`: the
 * shown total, at most two cents from the exact one.
 */
export function roundedParts(total: Amount, parts: readonly Amount[], shown: Amount = rounded(total)): Amount[] {
  if (parts.reduce((sum, part) => sum + part, 0n) !== total) return parts.map(rounded);
  const floors = parts.map(floor);
  const sum = (amounts: readonly Amount[]) => amounts.reduce((before, part) => before + part, 0n);
  const left = Math.max(Number((shown - sum(floors)) / CENT), 0);
  const order = parts.map((part, index) => ({ index, rest: part - floors[index]! }));
  const raised = new Set(
    order
      .toSorted((one, other) => (one.rest === other.rest ? one.index - other.index : one.rest > other.rest ? -1 : 1))
      .slice(0, left)
      .map(({ index }) => index),
  );
  const shownParts = floors.map((part, index) => (raised.has(index) ? part + CENT : part));
  // The shown total may differ by more than one cent per part.
  const over = shown - sum(shownParts);
  const largest = parts.reduce((found, part, index) => (absolute(part) > absolute(parts[found]!) ? index : found), 0);
  return over === 0n ? shownParts : shownParts.with(largest, shownParts[largest]! + over);
}

/** Half-up (away from zero) to cents. */
export function rounded(value: Amount): Amount {
  const cents = ((absolute(value) + CENT / 2n) / CENT) * CENT;
  return value < 0n ? -cents : cents;
}

function floor(value: Amount): Amount {
  const rest = value % CENT;
  return rest === 0n ? value : value - rest - (value < 0n ? CENT : 0n);
}
