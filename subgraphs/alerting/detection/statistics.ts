/** Medians and deviations. Statistics, not money, so doubles. */

/** Factor from the median absolute deviation to the standard deviation of a normal distribution. */
const SIGMA_OF_MAD = 1.4826;

/** Zero for no values. */
export function median(values: readonly number[]): number {
  const ascending = [...values].sort((one, other) => one - other);
  const half = ascending.length >> 1;
  const upper = ascending[half] ?? 0;
  return ascending.length % 2 === 1 ? upper : ((ascending[half - 1] ?? 0) + upper) / 2;
}

/** A spread that a single outlier does not affect: 1.4826 times the median absolute deviation. */
export function robustSigma(values: readonly number[]): number {
  const middle = median(values);
  return SIGMA_OF_MAD * median(values.map((value) => Math.abs(value - middle)));
}

/**
 * The smallest value that is not exceeded by `share` of the values; with few values, the largest. Null for no values.
 */
export function percentile(values: readonly number[], share: number): number | null {
  const ascending = [...values].sort((one, other) => one - other);
  return ascending[Math.min(ascending.length - 1, Math.ceil(ascending.length * share) - 1)] ?? null;
}
