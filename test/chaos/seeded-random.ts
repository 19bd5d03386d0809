/** Repeatable random numbers (mulberry32): a run with findings can be repeated with its seed. */
export interface SeededRandom {
  /** In [0, 1). */
  next(): number;
  /** A whole number from `least` to `most`. */
  integer(least: number, most: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return { next, integer, pick: (items) => items[integer(0, items.length - 1)]! };
}
