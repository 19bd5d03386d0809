/**
 * Values for people: rounded, with digit grouping, and without terminal control characters. `--json` prints exact
 * values.
 */
import { money } from '#kernel/money.ts';
import { percentText } from '#kernel/percent.ts';
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
      return percentText(Number(text)).replace('−', '-');
  }
}

/** USD, rounded half-up to four digits; a smaller nonzero amount is not shown as zero. */
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
