/** A time span between ISO dates (midnight UTC) or instants, as in data files. */

export interface IsoSpan {
  /** Inclusive; absent means unbounded. */
  readonly from?: string;
  /** Exclusive; absent means unbounded. */
  readonly until?: string;
}

/** Milliseconds since 1970; null and undefined mean unbounded. */
export function startMs(text: string | null | undefined): number {
  return text === null || text === undefined ? Number.NEGATIVE_INFINITY : Date.parse(text);
}

export function isWithinSpan({ from, until }: IsoSpan, atMs: number): boolean {
  return startMs(from) <= atMs && (until === undefined || atMs < startMs(until));
}
