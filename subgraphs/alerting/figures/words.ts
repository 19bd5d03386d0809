/** Formats figures and days for sentences. Figures are rounded; the exact ones are shown separately. */
import { money } from '#kernel/money.ts';
import { dateInWords, monthInWords, timeInWords } from '#kernel/time/in-words.ts';

/** USD, with the minus sign of the pages: `$1,234.56`, `−$0.50`, and below a cent `$0.0042`. */
export function usd(text: string): string {
  const amount = money(text);
  const size = amount.abs();
  const isTiny = !size.isZero() && size.lessThan('0.005');
  const digits = isTiny ? size.toSignificantDigits(2).toFixed() : size.toFixed(2);
  return `${amount.isNegative() && !amount.isZero() ? '−' : ''}$${grouped(digits)}`;
}

export function count(number: number): string {
  return grouped(String(number));
}

/** For example `12.3%`. */
export function percentText(text: string): string {
  return `${grouped(String(Math.round(Number(text) * 10) / 10))}%`;
}

/** `2026-11-21` as `21 Nov 2026`, like the pages. */
export function dayWords(day: string): string {
  return dateInWords(new Date(day));
}

/** `2026-11` as `November 2026`. */
export function monthWords(month: string): string {
  return monthInWords(new Date(month));
}

/** `21 Nov 2026, 10:04 UTC`. */
export function instantWords(iso: string): string {
  return `${dayWords(iso)}, ${timeInWords(new Date(iso))} UTC`;
}

function grouped(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const groups = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}
