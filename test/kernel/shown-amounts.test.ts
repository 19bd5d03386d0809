/** Amounts and shares as people read them; each expected text is rounded by hand. */
import { expect, it } from 'vitest';
import { amount } from '#kernel/money.ts';
import { percent, percentText } from '#kernel/percent.ts';
import { rounded, roundedParts } from '#kernel/rounded-parts.ts';
import { exactUsdText, groupedDigits, unitUsdText, usdText } from '#kernel/usd-text.ts';

it.each([
  ['1234.56', '$1,234.56'],
  ['1234567.895', '$1,234,567.90'],
  ['999', '$999.00'],
  ['-0.5', '−$0.50'],
  ['0', '$0.00'],
  ['-0', '$0.00'],
  ['0.005', '$0.01'],
  ['0.00499', '$0.0050'.slice(0, -1)],
  ['0.0042', '$0.0042'],
  ['0.00000123456', '$0.0000012'],
  ['-0.0042', '−$0.0042'],
])('%s USD is %s', (value, text) => {
  expect(usdText(value)).toBe(text);
});

it.each([
  ['1.25', '$1.25'],
  ['1', '$1.00'],
  ['1.2345', '$1.23'],
  ['0.99994', '$0.9999'],
  ['0.035', '$0.035'],
  ['0.0071', '$0.0071'],
  ['0.5', '$0.50'],
  ['0.00001234', '$0.000012'],
  ['0', '$0.00'],
])('%s USD a unit is %s', (value, text) => {
  expect(unitUsdText(value)).toBe(text);
});

it.each([
  ['1.5', '$1.50'],
  ['0.015', '$0.015'],
  ['1234.5678', '$1,234.5678'],
])('%s USD is exactly %s', (value, text) => {
  expect(exactUsdText(value)).toBe(text);
});

it.each([
  ['1234567.5', '1,234,567.5'],
  ['123', '123'],
  ['1000', '1,000'],
  ['0.12345', '0.12345'],
])('%s is grouped as %s', (digits, text) => {
  expect(groupedDigits(digits)).toBe(text);
});

it.each([
  ['1', '3', 33.33],
  ['2', '3', 66.67],
  ['1', '8', 12.5],
  ['1', '20000', 0.01],
  ['1', '20001', 0],
  ['-1', '20000', -0.01],
  ['1', '-20000', -0.01],
  ['-1', '-20000', 0.01],
  ['3', '2', 150],
  ['0', '5', 0],
  ['5', '0', null],
])('%s of %s is %s percent', (part, whole, expected) => {
  expect(percent(amount(part), amount(whole))).toBe(expected);
});

it.each([
  [12.5, '12.50%'],
  [1234.5, '1,234.50%'],
  [-0.5, '−0.50%'],
])('%s percent is shown as %s', (share, text) => {
  expect(percentText(share)).toBe(text);
});

it.each([
  ['0.005', '0.01'],
  ['0.00499', '0'],
  ['-0.005', '-0.01'],
  ['-0.00499', '0'],
  ['1.015', '1.02'],
])('%s is rounded to %s', (value, expected) => {
  expect(rounded(amount(value))).toBe(amount(expected));
});

it.each<[string, string[], string[]]>([
  ['0.03', ['0.014', '0.016'], ['0.01', '0.02']],
  ['0.01', ['0.005', '0.005'], ['0.01', '0']],
  ['1', ['0.333', '0.333', '0.334'], ['0.33', '0.33', '0.34']],
  ['0.01', ['0.015', '-0.005'], ['0.02', '-0.01']],
  ['5', ['1.005', '1.005'], ['1.01', '1.01']],
])('the parts of %s, %j, are shown as %j', (total, parts, shown) => {
  expect(
    roundedParts(
      amount(total),
      parts.map((part) => amount(part)),
    ),
  ).toEqual(shown.map((part) => amount(part)));
});

it.each([
  ['1', ['0.3', '0.7'], '0.98', ['0.3', '0.68']],
  ['-1', ['-0.3', '-0.7'], '-1.02', ['-0.3', '-0.72']],
])('the largest part of %s, %j, is corrected if %s is shown', (total, parts, shown, expected) => {
  expect(
    roundedParts(
      amount(total),
      parts.map((part) => amount(part)),
      amount(shown),
    ),
  ).toEqual(expected.map((part) => amount(part)));
});
