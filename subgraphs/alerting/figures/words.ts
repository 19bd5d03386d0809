/** Figures in sentences, rounded; the exact ones stand next to them. */
import { money } from '../../../kernel/money.ts';

/** USD: `$1,234.56`, `-$0.50`, and below a cent `$0.0042`. */
export function usd(text: string): string {
  const amount = money(text);
  const size = amount.abs();
  const isTiny = !size.isZero() && size.lessThan('0.005');
  const digits = isTiny ? size.toSignificantDigits(2).toFixed() : size.toFixed(2);
  return `${amount.isNegative() && !amount.isZero() ? '-' : ''}$${grouped(digits)}`;
}

export function count(number: number): string {
  return grouped(String(number));
}

/** `12.3 %` of a figure's text. */
export function percentText(text: string): string {
  return `${grouped(String(Math.round(Number(text) * 10) / 10))} %`;
}

function grouped(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const groups = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}
