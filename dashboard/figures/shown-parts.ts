/**
 * Rounded amounts on pages, with the exact ones in the markup. An amount is rounded the same way on every page. Shown
 * margins and changes are differences of shown amounts, and a row named Rounding completes the parts of a total.
 */
import { usdText } from '#kernel/usd-text.ts';
import { amount, type Amount, plain } from '#kernel/money.ts';
import { rounded } from '#kernel/rounded-parts.ts';
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

/** The rounded amount, or the exact one if it is below half a cent. */
export function shownValue({ exact, shown }: Shown): Amount {
  return shown === 0n && rounded(exact) === 0n ? exact : shown;
}

/** The shown difference of two shown amounts. */
export function shownDifference(after: Amount, before: Amount): Shown {
  return { exact: after - before, shown: rounded(after) - rounded(before) };
}

/**
 * Cents by which the shown parts differ from the shown total. None if the parts do not add up to the total, for example
 * those of one page of a list.
 */
export function roundingOf(total: Amount, parts: readonly Amount[]): Shown {
  const sum = (amounts: readonly Amount[]) => amounts.reduce((before, part) => before + part, 0n);
  return { exact: 0n, shown: sum(parts) === total ? rounded(total) - sum(parts.map(rounded)) : 0n };
}

/** Name of the row with the cents that rounding leaves over. */
export const ROUNDING = 'Rounding';

/** Cells of a table row. The shown margin is the difference of the shown amounts. No `share`: an empty cell. */
export function marginCells(revenue: Shown, cost: Shown, share: number | null | undefined): Html {
  const margin = { exact: revenue.exact - cost.exact, shown: revenue.shown - cost.shown };
  return html`<td class="number" data-label="Revenue">${shownAmount(revenue.exact, revenue.shown)}</td><td class="number" data-label="Cost">${shownAmount(cost.exact, cost.shown)}</td><td class="number" data-label="Margin">${shownAmount(margin.exact, margin.shown)}</td><td class="number" data-label="Margin %">${share === null ? '–' : share !== undefined && formatPercent(share)}</td>`;
}

/** A rounded amount, with the exact one in `value`. Amounts below half a cent are shown with their digits. */
export function shownAmount(exact: Amount, shown: Amount): Html {
  return html`<data value="${plain(exact)}">${shownText(exact, shown)}</data>`;
}

/** Text of a rounded amount. An amount below half a cent is printed with its digits instead of as zero. */
export function shownText(exact: Amount, shown: Amount): string {
  return usdText(plain(shownValue({ exact, shown })));
}

/** The shown margin of an exact revenue and cost, as text. */
export function marginText(revenue: string, cost: string): string {
  return differenceText(amount(revenue), amount(cost));
}

/** The shown difference of two amounts, as text. */
export function differenceText(after: Amount, before: Amount): string {
  const { exact, shown } = shownDifference(after, before);
  return shownText(exact, shown);
}

/** The shown difference of two amounts, with a plus sign if it is an increase. */
export function signedDifference(after: Amount, before: Amount): Html {
  const { exact, shown } = shownDifference(after, before);
  return html`<data value="${plain(exact)}">${exact > 0n && '+'}${shownText(exact, shown)}</data>`;
}
