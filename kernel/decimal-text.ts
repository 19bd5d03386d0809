/** Compares decimals by their digits, where a double would lose some. Linear in the length of the text. */

/** `±d.ddd × 10^magnitude`; `digits` has no zeros at either end and is empty for zero, whose magnitude is 0. */
export interface DecimalParts {
  readonly negative: boolean;
  readonly digits: string;
  readonly magnitude: number;
}

/** Accepts any JSON number, and `String(number)` of a finite number. */
export function decimalParts(text: string): DecimalParts {
  const negative = text.startsWith('-');
  const mantissaEnd = exponentStart(text);
  const exponent = mantissaEnd < text.length ? Number(text.slice(mantissaEnd + 1)) : 0;
  const mantissa = text.slice(negative ? 1 : 0, mantissaEnd);
  const point = mantissa.indexOf('.');
  const all = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
  const integerDigits = point < 0 ? mantissa.length : point;

  let first = 0;
  while (all.charCodeAt(first) === 48) first++;
  if (first === all.length) return { negative, digits: '', magnitude: 0 };
  let end = all.length;
  while (all.charCodeAt(end - 1) === 48) end--;
  return { negative, digits: all.slice(first, end), magnitude: integerDigits - first - 1 + exponent };
}

/** True if two texts are the same number. The sign of zero is ignored. */
export function isSameDecimal(one: string, other: string): boolean {
  const a = decimalParts(one);
  const b = decimalParts(other);
  return a.digits === b.digits && a.magnitude === b.magnitude && (a.negative === b.negative || a.digits === '');
}

function exponentStart(text: string): number {
  const lower = text.indexOf('e');
  const at = lower < 0 ? text.indexOf('E') : lower;
  return at < 0 ? text.length : at;
}
