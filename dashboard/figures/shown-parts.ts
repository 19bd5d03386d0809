/** Rounded amounts on pages, with the exact ones in the markup. Shown margins are differences of shown amounts. */
import { usdText } from '#kernel/usd-text.ts';
import { amount, type Amount, plain } from '#kernel/money.ts';
import { rounded, roundedParts } from '#kernel/rounded-parts.ts';
import { html, type Html } from '../shell/html.ts';
import { formatPercent } from './amount.ts';

/** An exact amount, and the rounded one that is shown for it. */
export interface Shown {
  readonly exact: Amount;
  readonly shown: Amount;
}

export function toShown(exact: Amount): Shown {
  return { exact, shown: rounded(exact) };
}

/** Rounded so that the shown parts add up to the shown total. Without a total, each is rounded by itself. */
export function shownParts(total: Amount | null, parts: readonly Amount[]): Shown[] {
  if (total === null) return parts.map(toShown);
  const shown = roundedParts(total, parts);
  return parts.map((exact, index) => ({ exact, shown: shown[index]! }));
}

/** Cells of a table row. The shown margin is the difference of the shown amounts. */
export function marginCells(revenue: Shown, cost: Shown, share: number | null): Html {
  const margin = { exact: revenue.exact - cost.exact, shown: revenue.shown - cost.shown };
  return html`<td class="number" data-label="Revenue">${shownAmount(revenue.exact, revenue.shown)}</td><td class="number" data-label="Cost">${shownAmount(cost.exact, cost.shown)}</td><td class="number" data-label="Margin">${shownAmount(margin.exact, margin.shown)}</td><td class="number" data-label="Margin %">${share === null ? '–' : formatPercent(share)}</td>`;
}

/** A rounded amount, with the exact one in `value`. Amounts below half a cent are shown with their digits. */
export function shownAmount(exact: Amount, shown: Amount): Html {
  return html`<data value="${plain(exact)}">${shownText(exact, shown)}</data>`;
}

/** Text of a rounded amount. An amount below half a cent is printed with its digits instead of as zero. */
export function shownText(exact: Amount, shown: Amount): string {
  return usdText(plain(shown === 0n && rounded(exact) === 0n ? exact : shown));
}

/** The shown margin of an exact revenue and cost, as text. */
export function marginText(revenue: string, cost: string): string {
  const [earned, spent] = [amount(revenue), amount(cost)];
  return shownText(earned - spent, rounded(earned) - rounded(spent));
}
