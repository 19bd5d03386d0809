/** Repeatable random numbers: the same seed gives the same history. */
export interface Random {
  /** Both bounds included. */
  int(min: number, max: number): number;
  pick<T>(items: readonly T[]): T;
  /** True with this probability in percent. */
  often(percent: number): boolean;
  shuffle<T>(items: readonly T[]): T[];
}

/** Mulberry32: small, and random enough. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    int,
    pick: (items) => items[int(0, items.length - 1)]!,
    often: (percent) => next() * 100 < percent,
    shuffle: (items) =>
      items
        .map((item) => [next(), item] as const)
        .sort(([one], [other]) => one - other)
        .map(([, item]) => item),
  };
}
