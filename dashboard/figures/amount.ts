/** Amounts and counts for people. Exact figures are available from the API. */
import { money } from '#kernel/money.ts';
import { type Content, html, type Html } from '../shell/html.ts';

const CENTS = 2;
/** For amounts below a cent. */
const SIGNIFICANT_DIGITS = 2;

/** USD: `$1,234.56`, `−$0.50`, and below a cent `$0.0042`. */
export function formatAmount(text: string): string {
  const amount = money(text);
  const size = amount.abs();
  const isTiny = !size.isZero() && size.lessThan('0.005');
  const digits = isTiny ? size.toSignificantDigits(SIGNIFICANT_DIGITS).toFixed() : size.toFixed(CENTS);
  return `${amount.isNegative() && !amount.isZero() ? '−' : ''}$${grouped(digits)}`;
}

/** The same, with the exact amount in `value`: the shown amount is rounded, while rows add up exactly. */
export function exactAmount(text: string): Html {
  return html`<data value="${text}">${formatAmount(text)}</data>`;
}

export function formatCount(count: number): string {
  return grouped(String(count));
}

const LARGE = [
  { from: 1e9, unit: 'B' },
  { from: 1e6, unit: 'M' },
];

/** A number of tokens, `1,234` or `1.2M`, with all digits in a tooltip. */
export function shortCount(count: number): Content {
  const large = LARGE.find(({ from }) => count >= from);
  if (large === undefined) return formatCount(count);
  return html`<span title="${formatCount(count)}">${grouped((count / large.from).toFixed(1))}${large.unit}</span>`;
}

/** `12.34%`. */
export function formatPercent(percent: number): string {
  return `${grouped(percent.toFixed(CENTS)).replace('-', '−')}%`;
}

function grouped(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const groups = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}
