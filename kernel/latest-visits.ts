/** Who came last, and when the last one came who was someone else: whether anyone has something to themselves. */

export interface LatestVisits {
  record(visitor: string, at: number): void;
  /** When anyone but `visitor` came last; `-Infinity` when no one did. */
  lastOfOthers(visitor: string): number;
}

export function latestVisits(): LatestVisits {
  let latest = { visitor: '', at: -Infinity };
  let other = latest;
  return {
    record(visitor, at) {
      if (latest.visitor !== visitor) other = latest;
      latest = { visitor, at };
    },
    lastOfOthers: (visitor) => (latest.visitor === visitor ? other : latest).at,
  };
}
