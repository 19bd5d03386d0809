/**
 * Amounts shown next to their total. Each is rounded to cents in such a way that the shown parts add up to the shown
 * total: cents that rounding leaves over go to the parts with the largest remainders.
 */
import { absolute, amount, type Amount } from './money.ts';

const CENT = amount('0.01');

/** Parts that do not add up to the total, for example those of one page of a list, are rounded one by one. */
export function roundedParts(total: Amount, parts: readonly Amount[]): Amount[] {
  if (parts.reduce((sum, part) => sum + part, 0n) !== total) return parts.map(rounded);
  const floors = parts.map(floor);
  const left = Number((rounded(total) - floors.reduce((sum, part) => sum + part, 0n)) / CENT);
  const order = parts.map((part, index) => ({ index, rest: part - floors[index]! }));
  const raised = new Set(
    order
      .toSorted((one, other) => (one.rest === other.rest ? one.index - other.index : one.rest > other.rest ? -1 : 1))
      .slice(0, left)
      .map(({ index }) => index),
  );
  return floors.map((part, index) => (raised.has(index) ? part + CENT : part));
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
