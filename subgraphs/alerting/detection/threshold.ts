/** `THRESHOLD`: a figure of a window is above or below a value. Exact for money and counts alike. */
import { amount } from '#kernel/money.ts';
import { type DetectedState, type DetectedUnit, exact, type Verdict } from './verdict.ts';

export interface ThresholdInput {
  /**
   * Decimal text. Null: the window has no such figure (for example a percentage of zero), which neither opens nor ends
   * anything.
   */
  readonly value: string | null;
  readonly comparator: 'ABOVE' | 'BELOW';
  readonly threshold: string;
  readonly unit: DetectedUnit;
}

export interface ThresholdMemory {
  readonly state: DetectedState;
}

/**
 * Hysteresis: money and counts must return by a twentieth of the threshold, percentages by two points, so that a
 * figure at the threshold alerts once.
 */
const BACK_PARTS = 20n;
const BACK_POINTS = amount('2');

/** Without a value, the previous state is kept. */
export function judgeThreshold(
  { value, comparator, threshold, unit }: ThresholdInput,
  previous: ThresholdMemory | null,
): Verdict<ThresholdMemory> {
  const isFiring = previous?.state === 'FIRING';
  const figures = value === null ? [] : [exact('value', value, unit), exact('threshold', threshold, unit)];
  if (value === null) {
    const state = previous?.state ?? 'OK';
    return { state, memory: { state }, end: null, figures };
  }
  // `BELOW` is `ABOVE` with the signs reversed.
  const sign = comparator === 'ABOVE' ? 1n : -1n;
  const bound = sign * amount(threshold);
  const margin = unit === 'percent' ? BACK_POINTS : (bound < 0n ? -bound : bound) / BACK_PARTS;
  const isBeyond = sign * amount(value) > (isFiring ? bound - margin : bound);
  const state = isBeyond ? 'FIRING' : 'OK';
  return { state, memory: { state }, end: isFiring && !isBeyond ? 'RECOVERED' : null, figures };
}
