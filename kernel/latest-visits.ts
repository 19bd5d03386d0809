/**
 * Remembers the latest visitor and the latest visit of anyone else, to detect whether something has only one visitor.
 */

export interface LatestVisits {
  record(visitor: string, at: number): void;
  /** Time of the latest visit by anyone except `visitor`; `-Infinity` if there was none. */
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
