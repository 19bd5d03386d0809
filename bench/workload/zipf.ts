/** Draws ranks by Zipf's law: the share of rank `r` is proportional to `1 / r ** exponent`. */

/** The cumulative shares of the ranks `0` to `count - 1`. The last one is 1. */
export function zipfShares(count: number, exponent: number): Float64Array {
  const shares = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) shares[rank] = sum += (rank + 1) ** -exponent;
  return shares.map((share) => share / sum);
}

/** The rank that contains `point`, which lies in [0, 1). */
export function rankAt(shares: Float64Array, point: number): number {
  let [low, high] = [0, shares.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (point < shares[middle]!) high = middle;
    else low = middle + 1;
  }
  return low;
}
