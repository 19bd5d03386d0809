/** Values for people: rounded, grouped, and without anything that could steer a terminal. `--json` has them exactly. */
import { money } from '../../kernel/money.ts';
import type { Column } from './sheet.ts';

const AMOUNT_DIGITS = 4;

export function formatValue(value: unknown, kind: Column['kind']): string {
  if (value === null || value === undefined) return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  switch (kind) {
    case 'text':
      return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
    case 'amount':
      return formatAmount(text);
    case 'count':
      return grouped(text);
    case 'percent':
      return `${text} %`;
  }
}

/** USD, half-up at four digits; what is smaller than that is no zero. */
export function formatAmount(text: string): string {
  const amount = money(text);
  const rounded = amount.toDecimalPlaces(AMOUNT_DIGITS);
  if (rounded.isZero() && !amount.isZero()) return amount.isNegative() ? '> -0.0001' : '< 0.0001';
  return grouped(rounded.toFixed(AMOUNT_DIGITS));
}

function grouped(text: string): string {
  const [whole = '', ...fraction] = text.split('.');
  return [whole.replaceAll(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.');
}
