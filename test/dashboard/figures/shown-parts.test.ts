import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, plain } from '#kernel/money.ts';
import { rounded, roundedParts } from '#kernel/rounded-parts.ts';
import { differenceText, marginText, roundingOf, shownText } from '../../../dashboard/figures/shown-parts.ts';

const CENT = 10n ** 13n;
const exact = fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n });

describe('shown parts', () => {
  it('add up to the shown total, and are each within a cent of the exact amount', () => {
    fc.assert(
      fc.property(fc.array(exact, { maxLength: 30 }), (parts) => {
        const total = parts.reduce((sum, part) => sum + part, 0n);
        const shown = roundedParts(total, parts);
        expect(shown.reduce((sum, part) => sum + part, 0n)).toBe(rounded(total));
        for (const [index, part] of shown.entries()) {
          expect(part % CENT).toBe(0n);
          const off = part - parts[index]!;
          expect(off < CENT && off > -CENT).toBe(true);
        }
      }),
    );
  });

  it.each([
    ['the largest remainder gets the cent', '1', ['0.333', '0.333', '0.334'], ['0.33', '0.33', '0.34']],
    ['equal remainders are raised from the first on', '0.01', ['0.005', '0.005'], ['0.01', '0']],
    ['losses', '-0.01', ['-0.004', '-0.006'], ['0', '-0.01']],
    ['parts of another total are rounded alone', '5', ['0.005', '0.004'], ['0.01', '0']],
  ])('are rounded so that they add up: %s', (_name, total, parts, expected) => {
    expect(roundedParts(amount(total), parts.map(amount)).map(plain)).toEqual(expected);
  });

  it.each([
    ['556.43', '257.294', '$299.14'],
    ['24.10', '51.954', '−$27.85'],
    ['23.475', '4.085', '$19.39'],
    ['0', '0.0042', '−$0.0042'],
  ])(
    'the margin of %s revenue and %s cost is shown as %s, the difference of the shown amounts',
    (revenue, cost, text) => {
      expect(marginText(revenue, cost)).toBe(text);
    },
  );

  it.each([
    ['three parts that are all rounded down', '1', ['0.333', '0.333', '0.334'], '0.01'],
    ['two parts that are both rounded up', '0.01', ['0.005', '0.005'], '-0.01'],
    ['parts that are whole cents', '5', ['2', '3'], '0'],
    ['parts of another total', '9', ['0.333', '0.333'], '0'],
  ])('the rounding row completes %s', (_name, total, parts, rounding) => {
    expect(plain(roundingOf(amount(total), parts.map(amount)).shown)).toBe(rounding);
  });

  it('a change is shown as the difference of the shown amounts', () => {
    // 6,444.344 − 382.485 = 6,061.859, and 6,444.34 − 382.49 = 6,061.85.
    expect(differenceText(amount('6444.344'), amount('382.485'))).toBe('$6,061.85');
  });

  it.each([
    ['a cent more than the rounded total', '0.02', ['0.01', '0.01']],
    ['a cent less', '0', ['0', '0']],
    ['more than a cent for each part', '0.04', ['0.03', '0.01']],
  ])('parts add up to the total %s, which is shown next to them', (_name, total, expected) => {
    expect(roundedParts(amount('0.01'), ['0.005', '0.005'].map(amount), amount(total)).map(plain)).toEqual(expected);
  });

  it('keep the digits of amounts below half a cent', () => {
    expect(shownText(amount('0.0042'), 0n)).toBe('$0.0042');
    expect(shownText(amount('0.007'), 0n)).toBe('$0.00');
  });
});
