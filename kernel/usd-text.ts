/** Amounts in USD and counts as people read them: rounded, with digits in groups of three. */
import { type Money, money } from './money.ts';

const CENTS = 2;
const HALF_A_CENT = money('0.005');
const DOLLAR = money('1');
/** Digits of amounts that would be rounded to zero cents. */
const SIGNIFICANT_DIGITS = 2;
const UNIT_DECIMALS = 4;

/** `$1,234.56`, `−$0.50`, and below half a cent `$0.0042`. */
export function usdText(text: string): string {
  return signed(text, (size) =>
    !size.isZero() && size.lt(HALF_A_CENT)
      ? size.toSignificantDigits(SIGNIFICANT_DIGITS).toFixed()
      : size.toFixed(CENTS),
  );
}

/** The cost of one unit, with fractions of a cent below a dollar: `$1.25`, `$0.035`, `$0.0071`. */
export function unitUsdText(text: string): string {
  return signed(text, (size) => {
    const rounded = size.lt(DOLLAR) ? size.toDecimalPlaces(UNIT_DECIMALS) : size.toDecimalPlaces(CENTS);
    if (rounded.isZero() && !size.isZero()) return size.toSignificantDigits(SIGNIFICANT_DIGITS).toFixed();
    return rounded.toFixed(Math.max(rounded.decimalPlaces(), CENTS));
  });
}

/** Not rounded, for labels of axes: `$1.50`, `$0.015`. */
export function exactUsdText(text: string): string {
  return signed(text, (size) => size.toFixed(Math.max(size.decimalPlaces(), CENTS)));
}

/** `1,234,567.5`. */
export function groupedDigits(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const groups = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

function signed(text: string, digitsOf: (size: Money) => string): string {
  const amount = money(text);
  return `${amount.isNegative() && !amount.isZero() ? '−' : ''}$${groupedDigits(digitsOf(amount.abs()))}`;
}
