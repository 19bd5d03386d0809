/** Rounded amounts on pages, with the exact ones in the markup. Shown margins are differences of shown amounts. */
import { amount, type Amount, plain } from '#kernel/money.ts';
import { rounded } from '#kernel/rounded-parts.ts';
import { html, type Html } from '../shell/html.ts';
import { formatAmount } from './amount.ts';

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
  return shownText(earned - spent, rounded(earned) - rounded(spent));
}
