/**
 * What every detection answers. A detection is pure: (figures, parameters, what it remembers) in, a verdict out. What it remembers is a
 * plain JSON object that the caller stores with the state and passes again, so that a restart changes nothing.
 */

/** `PENDING`: seen once, not enough for an alarm. `LEARNING`: too little is known to judge; never an alarm. */
export type DetectedState = 'OK' | 'LEARNING' | 'PENDING' | 'FIRING';

/** Why a firing state ended. `ACCEPTED`: it has lasted so long that it is the usual now. `NOT_APPLICABLE`: nothing is left to judge. */
export type DetectedEnd = 'RECOVERED' | 'ACCEPTED' | 'NOT_APPLICABLE';

/** `usd` is exact text or an estimate of a statistic, as the detection says; the others are numbers as text. */
export type DetectedUnit =
  | 'usd'
  | 'percent'
  | 'count'
  | 'hours'
  | 'sigma'
  | 'usd_per_event'
  | 'usd_per_thousand_tokens';

/** A figure that belongs into the evidence. Null: it could not be computed. */
export interface DetectedFigure {
  readonly name: string;
  readonly value: string | null;
  readonly unit: DetectedUnit;
}

export interface Verdict<Memory> {
  readonly state: DetectedState;
  readonly memory: Memory;
  readonly figures: readonly DetectedFigure[];
  /** Of a verdict that ends a firing state. */
  readonly end: DetectedEnd | null;
}

/** Doubles leave by at most six digits after the point: a statistic is no better. */
export function estimate(name: string, value: number | null, unit: DetectedUnit): DetectedFigure {
  const isKnown = value !== null && Number.isFinite(value);
  return { name, value: isKnown ? String(Number(value.toFixed(6))) : null, unit };
}

/** Money, or a count, as the exact text it came by. */
export function exact(name: string, value: string, unit: DetectedUnit): DetectedFigure {
  return { name, value, unit };
}
