import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate } from '#kernel/allocate.ts';

describe('an allocation', () => {
  it.each([
    ['equal parts, the earlier ones take the remainder', 10n, [1n, 1n, 1n], [4n, 3n, 3n]],
    ['the largest remainder comes first', 10n, [5n, 3n, 7n], [3n, 2n, 5n]],
    ['a line of nothing takes nothing', 7n, [0n, 1n], [0n, 7n]],
    ['a credit line gives back what it took', 70n, [100n, -30n], [100n, -30n]],
    ['lines of nothing: the first takes it', 5n, [0n, 0n], [5n, 0n]],
    ['lines that cancel out: their sizes count', 10n, [50n, -50n], [5n, 5n]],
    ['no lines', 5n, [], []],
  ])('loses nothing of the total: %s', (_, total, weights, parts) => {
    expect(allocate(total, weights)).toEqual(parts);
  });

  it('adds up to the whole, and no part is a unit away from its exact share', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 12n }),
        fc.array(fc.bigInt({ min: 0n, max: 10n ** 9n }), { minLength: 1, maxLength: 40 }),
        (total, weights) => {
          const parts = allocate(total, weights);
          const whole = weights.reduce((sum, weight) => sum + weight, 0n);
          expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(total);
          if (whole > 0n)
            parts.forEach((part, index) => {
              const distance = part * whole - total * (weights[index] ?? 0n);
              expect(distance < whole && -distance < whole).toBe(true);
            });
        },
      ),
    );
  });
});
