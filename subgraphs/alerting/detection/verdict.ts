/**
 * Result of every detection. A detection is a pure function of figures, parameters and its memory. The memory is a
 * plain JSON object that the caller stores with the state and passes back, so a restart changes nothing.
 */

/** `PENDING`: seen once, not enough for an alert. `LEARNING`: too little history to judge; never an alert. */
export type DetectedState = 'OK' | 'LEARNING' | 'PENDING' | 'FIRING';

/**
 * Why a firing state ended. `ACCEPTED`: it lasted so long that it is now the usual level. `NOT_APPLICABLE`: nothing is
 * left to judge.
 */
export type DetectedEnd = 'RECOVERED' | 'ACCEPTED' | 'NOT_APPLICABLE';

/** `usd` is exact text or a statistical estimate, depending on the detection; the others are numbers as text. */
export type DetectedUnit =
  | 'usd'
  | 'percent'
  | 'count'
  | 'hours'
  | 'sigma'
  | 'usd_per_event'
  | 'usd_per_thousand_tokens'
  | 'usd_per_success';

/** A figure for the evidence. Null: it could not be computed. */
export interface DetectedFigure {
  readonly name: string;
  readonly value: string | null;
  readonly unit: DetectedUnit;
}

export interface Verdict<Memory> {
  readonly state: DetectedState;
  readonly memory: Memory;
  readonly figures: readonly DetectedFigure[];
  /** Set by a verdict that ends a firing state. */
  readonly end: DetectedEnd | null;
}

/** Statistics have at most six decimal places; more would not be meaningful. */
export function estimate(name: string, value: number | null, unit: DetectedUnit): DetectedFigure {
  const isKnown = value !== null && Number.isFinite(value);
  return { name, value: isKnown ? String(Number(value.toFixed(6))) : null, unit };
}

/** Money or a count, as the exact text received. */
export function exact(name: string, value: string, unit: DetectedUnit): DetectedFigure {
  return { name, value, unit };
}
