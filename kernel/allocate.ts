/** Splits an amount in its smallest units by weight, with the largest-remainder method. */

/**
 * Returns one part per weight, adding up to exactly `total`. Weights may be negative (a proration's credit). If they
 * cancel out, their absolute values are used; if all are zero, the first part is the total. Among equal remainders, the
 * earlier part gets the unit.
 */
export function allocate(total: bigint, weights: readonly bigint[]): bigint[] {
  if (weights.length === 0) return [];
  const sum = weights.reduce((whole, weight) => whole + weight, 0n);
  if (sum === 0n) {
    if (weights.every((weight) => weight === 0n)) return weights.map((_, index) => (index === 0 ? total : 0n));
    return allocate(
      total,
      weights.map((weight) => (weight < 0n ? -weight : weight)),
    );
  }
  const divisor = sum < 0n ? -sum : sum;
  const shares = weights.map((weight, index) => {
    const exact = total * weight * (sum < 0n ? -1n : 1n);
    const remainder = ((exact % divisor) + divisor) % divisor;
    return { index, part: (exact - remainder) / divisor, remainder };
  });
  let left = total - shares.reduce((whole, { part }) => whole + part, 0n);
  for (const share of [...shares].sort(byRemainder)) {
    if (left === 0n) break;
    share.part += 1n;
    left -= 1n;
  }
  return shares.map(({ part }) => part);
}

function byRemainder(a: { index: number; remainder: bigint }, b: { index: number; remainder: bigint }): number {
  if (a.remainder !== b.remainder) return a.remainder > b.remainder ? -1 : 1;
  return a.index - b.index;
}
