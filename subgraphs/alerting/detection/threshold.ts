/** `THRESHOLD`: a figure of a window is above (or below) a value. Exact, for money and counts alike. */
import { amount } from '../../../kernel/money.ts';
import { type DetectedState, type DetectedUnit, exact, type Verdict } from './verdict.ts';

export interface ThresholdInput {
  /** Decimal text; null: the window has no such figure (a percentage of nothing), which neither opens nor ends anything. */
  readonly value: string | null;
  readonly comparator: 'ABOVE' | 'BELOW';
  readonly threshold: string;
  readonly unit: DetectedUnit;
}

export interface ThresholdMemory {
  readonly state: DetectedState;
}

/** Money and counts must come back by a twentieth of the threshold, percentages by two points: a figure at the edge rings once. */
const BACK_PARTS = 20n;
const BACK_POINTS = amount('2');

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
  // Below is above of the negatives.
  const sign = comparator === 'ABOVE' ? 1n : -1n;
  const bound = sign * amount(threshold);
  const margin = unit === 'percent' ? BACK_POINTS : (bound < 0n ? -bound : bound) / BACK_PARTS;
  const isBeyond = sign * amount(value) > (isFiring ? bound - margin : bound);
  const state = isBeyond ? 'FIRING' : 'OK';
  return { state, memory: { state }, end: isFiring && !isBeyond ? 'RECOVERED' : null, figures };
}
