/** Amounts and counts for people. Exact figures are available from the API. */
import { percentText } from '#kernel/percent.ts';
import { groupedDigits, unitUsdText, usdText } from '#kernel/usd-text.ts';
import { type Content, html, type Html } from '../shell/html.ts';

/** An amount in USD, with the exact one in `value`: the shown amount is rounded, while rows add up exactly. */
export function exactAmount(text: string): Html {
  return html`<data value="${text}">${usdText(text)}</data>`;
}

const SIGNED_AMOUNT = /([+−]\$\d[\d,]*(?:\.\d+)?)/;

/** Text whose signed amounts stay on one line. Browsers may break a line between a sign and `$`. */
export function withUnbrokenAmounts(text: string): Content {
  return text
    .split(SIGNED_AMOUNT)
    .map((part, index) => (index % 2 === 0 ? part : html`<span class="amount">${part}</span>`));
}

/** The cost of one attempt or task, with fractions of a cent. */
export function exactUnitAmount(text: string): Html {
  return html`<data value="${text}">${unitUsdText(text)}</data>`;
}

export function formatCount(count: number): string {
  return groupedDigits(String(count));
}

const LARGE = [
  { from: 1e9, unit: 'B' },
  { from: 1e6, unit: 'M' },
];

/** A number of tokens, `1,234` or `1.2M`, with all digits in a tooltip. */
export function shortCount(count: number): Content {
  const large = LARGE.find(({ from }) => count >= from);
  if (large === undefined) return formatCount(count);
  return html`<span title="${formatCount(count)}">${groupedDigits((count / large.from).toFixed(1))}${large.unit}</span>`;
}

/** `12.34%`. */
export const formatPercent = percentText;
