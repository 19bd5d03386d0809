/**
 * Amounts shown next to their total. Each is rounded to cents in such a way that the shown parts add up to the shown
 * total: cents that rounding leaves over go to the parts with the largest remainders.
 */
import { amount, type Amount, plain } from '#kernel/money.ts';
import { html, type Html } from '../shell/html.ts';
import { formatAmount } from './amount.ts';

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

/** Revenue and cost as shown, and the margin between the shown amounts. */
export function roundedMargin(revenue: Amount, cost: Amount): Amount {
  return rounded(revenue) - rounded(cost);
}

/** A rounded amount, with the exact one in `value`. Amounts below half a cent are shown with their digits. */
export function shownAmount(exact: Amount, shown: Amount): Html {
  return html`<data value="${plain(exact)}">${shownText(exact, shown)}</data>`;
}

export function shownText(exact: Amount, shown: Amount): string {
  return formatAmount(plain(shown === 0n && rounded(exact) === 0n ? exact : shown));
}

/** The shown margin of an exact revenue and cost, as text. */
export function marginText(revenue: string, cost: string): string {
  const [earned, spent] = [amount(revenue), amount(cost)];
  return shownText(earned - spent, roundedMargin(earned, spent));
}

/** Half-up (away from zero) to cents, as `formatAmount` does. */
export function rounded(value: Amount): Amount {
  const size = value < 0n ? -value : value;
  const cents = ((size + CENT / 2n) / CENT) * CENT;
  return value < 0n ? -cents : cents;
}

function floor(value: Amount): Amount {
  const rest = value % CENT;
  return rest === 0n ? value : value - rest - (value < 0n ? CENT : 0n);
}
