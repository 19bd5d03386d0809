/** A stretch of time between ISO dates (midnight UTC) or instants, as data files write it. */

export interface IsoSpan {
  /** Inclusive; absent: since ever. */
  readonly from?: string;
  /** Exclusive; absent: until further notice. */
  readonly until?: string;
}

/** Milliseconds since 1970; null and undefined: since ever. */
export function startMs(text: string | null | undefined): number {
  return text === null || text === undefined ? Number.NEGATIVE_INFINITY : Date.parse(text);
}

export function isWithinSpan({ from, until }: IsoSpan, atMs: number): boolean {
  return startMs(from) <= atMs && (until === undefined || atMs < startMs(until));
}
